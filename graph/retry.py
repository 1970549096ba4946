"""Which failures of a model call are worth another try, and how failures read."""

from __future__ import annotations

import sys

import httpx
import psycopg

from memory.errors import EmbedderUnavailable, StoreUnavailable
from nodes.generate import ModelFailed

# Source: RFC 9110 and RFC 6585: request timeout, conflict, too many requests.
_TRANSIENT_STATUS = frozenset({408, 409, 429})


def is_worth_another_try(error: Exception) -> bool:
    """Tell whether a failed model call may succeed when it is made again."""
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return status in _TRANSIENT_STATUS or status >= 500
    transient = (ModelFailed, TimeoutError, ConnectionError, httpx.TransportError)
    return isinstance(error, transient) or _is_openai_error(error)


def is_outage(error: BaseException) -> bool:
    """Tell whether a store or a model could not be had, so that the same turn may succeed later."""
    stores = (StoreUnavailable, psycopg.OperationalError, psycopg.InterfaceError)
    if isinstance(error, (*stores, EmbedderUnavailable)):
        return True
    return isinstance(error, Exception) and is_worth_another_try(error)


def reason_of(error: BaseException) -> str:
    """Return a failure in one line for the owner: what failed, never a message's text or a key."""
    if _is_openai_error(error):
        status = getattr(error, "status_code", None)
        return f"The model call failed: {type(error).__name__}" + (
            f" (HTTP {status})" if status else ""
        )
    lines = str(error).splitlines()
    return lines[0] if lines else type(error).__name__


def _is_openai_error(error: BaseException) -> bool:
    # Imported only where a model is set: an error of it can exist only then.
    openai = sys.modules.get("openai")
    return openai is not None and isinstance(error, openai.OpenAIError)
