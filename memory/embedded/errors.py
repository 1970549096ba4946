"""Errors of the embedded stores."""

from __future__ import annotations

from memory.errors import RecollectError


class EmbeddedStoreError(RecollectError):
    """The embedded stores cannot be started."""
