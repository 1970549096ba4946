"""Errors: one base, and one question that decides what becomes of a turn.

What is `Transient` may succeed when it is tried again. Every other error fails again the same way,
those that are none of ours included: a bug does not pass by waiting. Adapters turn what their
drivers raise into these, so that nothing above them knows a driver. The docstring is the default
message; a message never holds anybody's words.
"""

from __future__ import annotations

import os
from traceback import walk_tb

OWN = frozenset({"channels", "evals", "graph", "memory", "nodes", "server", "ui"})
"""The packages of this project."""


# A RuntimeError: of those LangGraph's server passes the words on, of others a bare "error".
class RecollectError(RuntimeError):
    """Something went wrong."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


class Transient(RecollectError):
    """A store or a model cannot be had now."""


class StoreUnavailable(Transient):
    """A store cannot be reached."""

    def __init__(self, setting: str, address: str, reason: str) -> None:
        super().__init__(f"{setting}: cannot reach {address} ({reason})")
        self.setting = setting
        self.address = address


class StoreRefused(RecollectError):
    """A store refuses for good what it was asked."""

    def __init__(self, setting: str, reason: str) -> None:
        super().__init__(f"{setting}: the store refuses this for good ({reason})")
        self.setting = setting


class SchemaTooNew(RecollectError):
    """The database was written by a newer version; install that version or use another database."""


class EmbedderMismatch(RecollectError):
    """The vectors in the index were made by another embedder."""


class EmbedderUnavailable(Transient):
    """The embedding model cannot be loaded."""


class EmbedderRefused(RecollectError):
    """The embedding model refuses for good what it was asked."""


class ModelUnavailable(Transient):
    """The chat model cannot be had now."""


class ModelRefused(RecollectError):
    """The chat model's endpoint refuses for good what it was asked."""


class ModelFailed(RecollectError):
    """The chat model gave no usable answer."""


class InvalidMessage(RecollectError):
    """A message cannot be stored as it is."""


class ImportErased(RecollectError):
    """What this file holds was erased together with a person: nothing of it is imported again."""


class RebuildReplaced(RecollectError):
    """Another rebuild, for another embedder, has taken the place of this one."""


class MoodUnavailable(RecollectError):
    """The weights that mood is read by cannot be used; install the package again."""


def another_embedder(made_by: str, given: str) -> EmbedderMismatch:
    """Return the refusal of vectors that another embedder made; fingerprints name both."""
    return EmbedderMismatch(
        f"The vector index was made by {made_by or 'an unknown embedder'}, but "
        f"RECOLLECT_EMBEDDINGS now gives {given}: set RECOLLECT_EMBEDDINGS back, use another "
        "RECOLLECT_DATA_DIR, or make the vectors anew with `recollect rebuild vectors`."
    )


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


def fault_of(error: BaseException) -> str:
    """Return what a bug raised and where, in one line: its kind, a module and a line of it.

    The line is the innermost of this project, or of all where none is of it. What the error says
    is left out, since it may quote what was being read; an error number is told in the system's
    words.
    """
    places = [
        (str(frame.f_globals.get("__name__", "?")), line)
        for frame, line in walk_tb(error.__traceback__)
    ]
    own = [place for place in places if place[0].partition(".")[0] in OWN]
    told = type(error).__name__
    if isinstance(error, OSError) and error.errno is not None:
        told += f" ({os.strerror(error.errno)})"
    for module, line in (own or places)[-1:]:
        told += f" at {module}:{line}"
    return told
