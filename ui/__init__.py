"""Entry points for people: the command line and the playground."""
