"""Chat histories that other programs exported, read as a stream of messages."""
