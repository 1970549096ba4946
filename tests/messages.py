"""Builders of messages for tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

from memory.domain.chats import Actor, ChatRef, Message, Quote

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def message(
    text: str = "hello",
    *,
    tenant: str = "t",
    chat: str = "ana",
    sender: str = "ana",
    message_id: str = "",
    actor: Actor = Actor.CONTACT,
    is_group: bool = False,
    channel: str = "waha",
    minutes: float = 0,
    mentions_agent: bool = False,
    quote: Quote | None = None,
) -> Message:
    """Return a message of a direct chat with `sender`, or of the group `chat`."""
    return Message(
        chat=ChatRef(tenant, channel, "phone", chat),
        message_id=message_id or str(uuid4()),
        actor=actor,
        sender_id=sender,
        sender_name=sender,
        contact_id=f"{channel}:{sender}",
        text=text,
        sent_at=START + timedelta(minutes=minutes),
        is_group=is_group,
        from_me=actor is not Actor.CONTACT,
        mentions_agent=mentions_agent,
        quote=quote,
    )
