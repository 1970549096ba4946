"""What a person at the terminal is told of an error that nobody foresaw."""

from __future__ import annotations

from memory.errors import fault_of


def unforeseen(error: Exception) -> str:
    """Return its kind and place in one line, with the path of a file that it is about.

    What it says itself is left out: it may quote a message, or an address with its password.
    """
    path = error.filename if isinstance(error, OSError) else None
    return fault_of(error) + (f": {path}" if isinstance(path, str) else "")
