"""Messages that were edited or deleted since a window was filled, or edited in it (X1). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memory.domain.changes import Change
from memory.domain.chats import Actor, Message, StoredMessage

DELETED = "[deleted message]"
"""What stands where a message was: a model is told that there was one, not what it said."""


def window_text(message: Message) -> str:
    """Return a message as a window shows it; in a group with its speaker's name."""
    if message.actor is Actor.CONTACT and message.is_group and message.sender_name:
        return f"{message.sender_name}: {message.text}"
    return message.text


def changed_texts(shown: dict[str, str], stored: Sequence[StoredMessage]) -> dict[str, str]:
    """Return message id -> text for those that a window shows as they no longer are.

    Args:
        shown: Message id -> text of the window's messages.
        stored: The same messages as the ledger has them now; unknown ones are left as they are.
    """
    changed: dict[str, str] = {}
    for entry in stored:
        message = entry.message
        current = DELETED if entry.revoked_at else window_text(message)
        if entry.changes and shown.get(message.message_id, current) != current:
            changed[message.message_id] = current
    return changed


def edit_to(stored: StoredMessage, said: Message, at: datetime) -> Change | None:
    """Return the edit by which a stored message says what a LangGraph thread has of it now.

    None where it says that, or is gone, or another's. What was forgotten of it is in the thread
    still: that is no new text.
    """
    if stored.message.actor is not said.actor or stored.revoked_at is not None:
        return None
    if stored.in_full.text == said.text:
        return None
    return Change(
        chat=said.chat,
        message_id=said.message_id,
        kind="edit",
        # The same once more is the same change; back to an earlier text is another one.
        action_id=f"state-{stored.changes + 1}",
        text=said.text,
        author_ids=(stored.message.sender_id,),
        from_me=said.from_me,
        changed_at=at,
    )
