"""The `peers` suite: other memories on the same conversations, each in a process of its own."""
