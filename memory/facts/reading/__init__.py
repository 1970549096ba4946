"""What a message says of people: spans that a model marks, rules for what is sure, and both."""
