"""Why something was answered, or not: each code with a sentence for people. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from nodes.reasons import OF_GATE

BEFORE_GATE: Final[dict[str, str]] = {
    "known": "This message is here already: one is taken in once, however often it comes.",
    "echo": "Our own reply, reported back: it has its row, and is no message of anybody's.",
    "edit": "The earlier message has new words now. What was answered is not answered again.",
    "refused": "An edit by somebody who did not write the message: not believed.",
    "owner": "The owner wrote by hand: kept as the owner's, and the agent keeps out for an hour.",
    "automation": "A machine wrote it: kept, and never answered, whatever it says.",
    "system": "Something happened in the chat: kept, and nobody asked anything.",
    "ignored": "Nothing in it is to be kept.",
    "unreadable": "It could not be read: kept aside for its owner to look at.",
    "rejected": "The server refused the webhook.",
    "pending": "No turn has looked at it.",
}
NOTHING_IN: Final[dict[str, str]] = {
    "restarted": "The server was killed without warning, and started again.",
    "hour_passed": "The server's clock is an hour ahead now.",
}
"""What comes with no webhook."""


@dataclass(frozen=True, slots=True)
class Why:
    """A reason: its code, and the sentence."""

    code: str
    sentence: str


def why(code: str) -> Why:
    """Return a reason by its code; one that is not known says so."""
    known = {str(code): said for code, said in OF_GATE.items()} | BEFORE_GATE | NOTHING_IN
    return Why(code, known.get(code, "A reason that the lab does not know."))


def code_before_gate(status: str, author: str) -> str:
    """Return the code of what never reached the gate; empty where the gate decides.

    `status` is what the webhook was answered, `author` who the ledger says wrote it.
    """
    if not status:
        return "rejected"
    if status in ("applied", "late", "waiting"):
        return "edit"
    if status != "new":
        return status
    return author if author in ("owner", "automation", "system") else ""
