"""Chats that somebody plays by hand against the real server, with a far end that is simulated."""
