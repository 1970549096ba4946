"""Which failures of a model call are worth another try, and which pass by themselves."""

from __future__ import annotations

from memory.errors import ModelFailed, ModelUnavailable, Transient


def is_worth_another_try(error: Exception) -> bool:
    """Tell whether a failed model call may give an answer when it is made again at once."""
    return isinstance(error, (ModelUnavailable, ModelFailed))


def is_outage(error: BaseException) -> bool:
    """Tell whether a store or a model could not be had, so that the same turn may succeed later."""
    return isinstance(error, Transient)
