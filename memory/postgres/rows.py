"""Database rows to domain types and back."""

from __future__ import annotations

from typing import Any

from psycopg.rows import DictRow

from memory.domain.chats import Actor, ChatRef, Message, Quote, StoredMessage, message_uid

MOST_COUNTED = 10_000
"""Of what waits, failed or was sent so many are counted; as many may be more."""

MESSAGE_COLUMNS = """
  s.tenant, s.channel, s.account, s.chat_id, s.topic, s.is_group,
  m.seq, m.uid::text, m.position, m.turn_id::text, m.message_id, m.author, m.actor_id, m.actor_name,
  m.contact_id, m.content, m.created_at, m.recorded_at, m.from_me, m.mentions_agent,
  m.replies_to_agent, m.forwarded, m.is_owner, m.is_command, m.withheld, m.teaches, m.quote,
  m.edited_at, m.revoked_at, m.changes, m.said
"""


def chat_of(row: DictRow) -> ChatRef:
    """Read a chat from a row with the session's columns."""
    return ChatRef(row["tenant"], row["channel"], row["account"], row["chat_id"], row["topic"])


def stored_message(row: DictRow) -> StoredMessage:
    """Read a message from a row with `MESSAGE_COLUMNS`."""
    quote, chat, uid = row["quote"], chat_of(row), row["uid"]
    message = Message(
        chat=chat,
        message_id=row["message_id"],
        actor=Actor(row["author"]),
        sender_id=row["actor_id"],
        sender_name=row["actor_name"],
        contact_id=row["contact_id"],
        text=row["content"],
        sent_at=row["created_at"],
        is_group=row["is_group"],
        from_me=row["from_me"],
        mentions_agent=row["mentions_agent"],
        replies_to_agent=row["replies_to_agent"],
        forwarded=row["forwarded"],
        is_owner=row["is_owner"],
        is_command=row["is_command"],
        withheld=row["withheld"],
        teaches=row["teaches"],
        quote=Quote(**quote) if quote else None,
        key="" if uid == message_uid(chat, row["message_id"]) else uid,
    )
    return StoredMessage(
        message,
        row["seq"],
        row["position"],
        row["recorded_at"],
        row["turn_id"],
        edited_at=row["edited_at"],
        revoked_at=row["revoked_at"],
        changes=row["changes"],
        said=row["said"],
    )


def storable(text: str) -> str:
    """Replace what Postgres cannot hold (NUL, lone surrogates) by U+FFFD."""
    clean = text.replace("\x00", "\ufffd")
    return clean.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def message_json(message: Message) -> dict[str, Any]:  # Any: a JSON object
    """Return a message as the JSON object that `record_messages` reads."""
    quote = message.quote
    return {
        "uid": message.uid,
        "thread_id": message.chat.thread_id,
        "tenant": message.chat.tenant,
        "channel": message.chat.channel,
        "account": message.chat.account,
        "chat_id": message.chat.chat_id,
        "topic": message.chat.topic,
        "is_group": message.is_group,
        "message_id": storable(message.message_id),
        "author": message.actor.value,
        "actor_id": storable(message.sender_id),
        "actor_name": storable(message.sender_name),
        "contact_id": storable(message.contact_id),
        "anchor": storable(message.anchor),
        "content": storable(message.text),
        "created_at": message.sent_at.isoformat(),
        "from_me": message.from_me,
        "mentions_agent": message.mentions_agent,
        "replies_to_agent": message.replies_to_agent,
        "forwarded": message.forwarded,
        "is_owner": message.is_owner,
        "is_command": message.is_command,
        "withheld": message.withheld or message.is_command,
        "teaches": message.teaches,
        "awaits_turn": message.awaits_turn,
        "quoted_uid": message_uid(message.chat, quote.message_id) if quote else None,
        "quote": {
            "message_id": storable(quote.message_id),
            "text": storable(quote.text),
            "sender_id": storable(quote.sender_id),
        }
        if quote
        else None,
    }
