"""Which failures of a model call are worth another try, and how failures read."""

from __future__ import annotations

from memory.errors import ModelFailed, ModelUnavailable, RecollectError, Transient


def is_worth_another_try(error: Exception) -> bool:
    """Tell whether a failed model call may give an answer when it is made again at once."""
    return isinstance(error, (ModelUnavailable, ModelFailed))


def is_outage(error: BaseException) -> bool:
    """Tell whether a store or a model could not be had, so that the same turn may succeed later."""
    return isinstance(error, Transient)


def reason_of(error: BaseException) -> str:
    """Return a failure in one line for the owner: what failed, never a message's text or a key.

    Errors of ours say it themselves. Others can quote what they were given, so that only their
    kind is told, and the HTTP status or SQLSTATE where there is one.
    """
    if isinstance(error, RecollectError):
        return str(error).partition("\n")[0]
    codes = (("HTTP", "status_code"), ("SQLSTATE", "sqlstate"))
    told = [f"{name} {code}" for name, field in codes if (code := getattr(error, field, None))]
    return type(error).__name__ + (f" ({', '.join(told)})" if told else "")
