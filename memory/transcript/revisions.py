"""What a window shows of messages that were edited or deleted since it was filled (X1). Pure."""

from __future__ import annotations

from collections.abc import Sequence

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
