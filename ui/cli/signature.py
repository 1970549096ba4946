"""The line by which the offline responder signs, told once instead of under every reply."""

from __future__ import annotations

from graph.models.offline.frames import FRAMES

NOTICE = FRAMES["en"].signature
_SIGNATURES = frozenset(frames.signature for frames in FRAMES.values())


def unsigned(reply: str) -> str:
    """Return a reply without its signature."""
    rest, _, last = reply.rpartition("\n")
    return rest if last in _SIGNATURES else reply


class Unsigned:
    """The same for a reply that is being written: what may be a signature is held back."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """Return what is certainly no signature."""
        before, line_end, last = (self._held + text).rpartition("\n")
        may_be = bool(line_end) and any(each.startswith(last) for each in _SIGNATURES)
        self._held = line_end + last if may_be else ""
        return before if may_be else before + line_end + last
