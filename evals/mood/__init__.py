"""The `mood` suite: how messages feel."""
