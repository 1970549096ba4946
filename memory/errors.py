"""Errors of the memory layer. The docstring is the default message."""

from __future__ import annotations


class RecollectError(Exception):
    """Something went wrong."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


class StoreUnavailable(RecollectError):
    """A store cannot be reached."""

    def __init__(self, setting: str, address: str, reason: str) -> None:
        super().__init__(f"{setting}: cannot reach {address} ({reason})")
        self.setting = setting
        self.address = address


class SchemaTooNew(RecollectError):
    """The database was written by a newer version; install that version or use another database."""


class EmbedderMismatch(RecollectError):
    """The vectors in the index were made by another embedder."""


class EmbedderUnavailable(RecollectError):
    """The embedding model cannot be loaded."""


class InvalidMessage(RecollectError):
    """A message cannot be stored as it is."""


class MoodUnavailable(RecollectError):
    """The weights that mood is read by cannot be used; install the package again."""
