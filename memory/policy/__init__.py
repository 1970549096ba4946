"""When to answer whom, and what a command is. Pure."""
