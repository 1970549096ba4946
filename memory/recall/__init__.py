"""From a question to what a prompt remembers."""
