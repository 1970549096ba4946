"""The `open_loops` suite: what is still owed or to come in a chat."""
