"""Errors of reading an export. Each is one line: what is wrong, where, and what to do."""

from __future__ import annotations

from memory.errors import RecollectError


class ExportError(RecollectError):
    """The file cannot be read as a chat export."""


class UndecidedDates(ExportError):
    """Day and month cannot be told apart; give --date-order dmy or --date-order mdy."""
