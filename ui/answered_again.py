"""What an answer that was given again came to, in a line; the answer itself is shown beside it."""

from __future__ import annotations

from typing import Final

from graph.agent import Finished

SAME: Final = "The same again, word for word."
SAME_OFFLINE: Final = "The same again: without a model, what is remembered alone decides an answer."
UNANSWERED: Final = "The answer stays as it was: this chat is not answered now."


def told_of(event: Finished, model: str | None) -> str:
    """Say why there is no new answer; nothing where there is one."""
    if event.decision != "respond":
        return UNANSWERED
    if event.reply.strip() != event.before.strip():
        return ""
    return SAME if model else SAME_OFFLINE


def told_of_failure(reason: str) -> str:
    """Say that the answer before it stays, and why."""
    return f"The answer stays as it was: {reason.rstrip('.')}."
