"""Errors of the evals; each is one line that says what is wrong and where."""

from __future__ import annotations

from memory.errors import RecollectError


class BadInputError(RecollectError):
    """What was given on the command line or in a case file cannot be used."""


class WorldDied(RecollectError):
    """The server under test ended, or never answered."""


class MemoryIncomplete(RecollectError):
    """A store of the product was missing while it was measured."""


class NotTaken(RecollectError):
    """The server under test refuses a webhook, however often it comes."""


class NeverAtRest(RecollectError):
    """The server under test goes on and on, or hangs."""


class NoPromptError(RecollectError):
    """A question did not reach the model."""


class NothingSaid(RecollectError):
    """Something is to happen to what was said, and nothing was said yet."""


class CutOff(RecollectError):
    """Something was played for too long, and stopped."""
