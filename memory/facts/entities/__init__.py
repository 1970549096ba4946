"""People and things (C7): who is meant, what is claimed of them, what answers a question."""
