"""What a WAHA message is in the domain: somebody's words, or a change to earlier ones. Pure."""

from __future__ import annotations

import re
from typing import Final

from channels.actor import decide_actor, may_command
from channels.inbound import Edit, Ignored, Revoke, SystemEvent
from channels.text import clean_name, clean_text
from channels.waha import engine_data
from channels.waha.jid import MessageId, bare_message_id, parse_message_id
from channels.waha.payload import MessagePayload, ReplyTo
from channels.waha.session import CHANNEL, Session, status_update
from channels.waha.system_events import ONE_TO_MANY, system_event
from channels.waha.text import media_placeholder, text_of
from memory.domain.chats import Message, Quote

_MENTION: Final = re.compile(r"\s*@(?P<number>\d{5,20})[,:]?\s+")


def message_or_change(
    session: Session, payload: MessagePayload
) -> Message | SystemEvent | Edit | Revoke | Ignored:
    """Read a message; in chats where only one can speak it is a line that nobody answers.

    Raises:
        MalformedPayload: It lacks an id or a time, or an id cannot be one.
    """
    parts = parse_message_id(payload.id or "", "payload.id")
    if skipped := status_update(parts.chat):
        return skipped
    if not (payload.body or "").strip() and engine_data.is_notice(payload.data):
        return _change(session, parts, payload)
    if parts.chat.endswith(ONE_TO_MANY):
        sender, from_me = _sender(session, parts, payload)
        at = session.time_of(payload.timestamp)
        return system_event(session, parts.chat, parts.bare, text_of(payload), at, sender, from_me)
    return _message(session, parts, payload)


def _change(session: Session, parts: MessageId, payload: MessagePayload) -> Edit | Revoke | Ignored:
    """Read a message without a text of its own: an engine's way to report an edit or a revoke."""
    action = engine_data.action(payload.data)
    if action is None:
        return Ignored("notice without text")
    chat = session.chat(parts.chat)
    target = bare_message_id(action.target, "payload._data")
    sender, from_me = _sender(session, parts, payload)
    if action.kind == "revoke":
        at = session.time_or_none(payload.timestamp)
        return Revoke(chat, target, parts.bare, sender, from_me, at)
    at = session.time_or_none(action.at or payload.timestamp)
    return Edit(chat, target, parts.bare, clean_text(action.text), sender, from_me, at)


def _sender(session: Session, parts: MessageId, payload: MessagePayload) -> tuple[str, bool]:
    """Return who sent a message, and whether it was us."""
    is_group = parts.chat.endswith("@g.us")
    participant = payload.participant or parts.participant or engine_data.group_sender(payload.data)
    sender = session.one_spelling(participant if is_group else parts.chat, "payload.participant")
    from_me = bool(payload.from_me) or parts.from_me or sender in session.own_ids
    return (session.own_id if from_me else sender), from_me


def _message(session: Session, parts: MessageId, payload: MessagePayload) -> Message:
    sender, from_me = _sender(session, parts, payload)
    quote, replies_to_agent = _quote(session, payload)
    mentions_agent = bool(engine_data.mentions(payload.data) & session.own_ids)
    text = text_of(payload)
    actor = decide_actor(
        from_me=from_me,
        sender_id=sender,
        is_echo_of_outbox=False,
        source=payload.source,
        known_bots=session.known_bots,
        own_ids=session.own_ids,
    )
    return Message(
        chat=session.chat(parts.chat),
        message_id=parts.bare,
        actor=actor,
        sender_id=sender,
        contact_id=_contact(session, parts, sender, from_me=from_me),
        text=_said_to(session, text) if mentions_agent else text,
        sent_at=session.time_of(payload.timestamp),
        sender_name=clean_name(engine_data.sender_name(payload.data)),
        is_group=parts.chat.endswith("@g.us"),
        from_me=from_me,
        mentions_agent=mentions_agent,
        replies_to_agent=replies_to_agent,
        forwarded=engine_data.is_forwarded(payload.data),
        is_owner=may_command(actor, sender, session.owner_ids),
        quote=quote,
    )


def _said_to(session: Session, text: str) -> str:
    """Return a text without the number of ours that it begins with, as WhatsApp writes a mention.

    It says who is meant, and nothing else: "@4915... /pause" is a command.
    """
    begins = _MENTION.match(text)
    ours = {own.partition("@")[0].partition(":")[0] for own in session.own_ids}
    rest = text[begins.end() :] if begins else ""
    return rest if begins and begins["number"] in ours and rest else text


def _contact(session: Session, parts: MessageId, sender: str, *, from_me: bool) -> str:
    """Return who the chat is with: the other side of a direct chat, the speaker in a group."""
    if parts.chat.endswith("@g.us"):
        return f"{CHANNEL}:{sender}" if sender and not from_me else ""
    return f"{CHANNEL}:{session.lids.get(parts.chat, parts.chat)}"


def _quote(session: Session, payload: MessagePayload) -> tuple[Quote | None, bool]:
    """Return the quoted message and whether it is one of ours."""
    raw_id, raw_sender = engine_data.quoted_ref(payload.data)
    reply = payload.reply_to or (ReplyTo(id=raw_id) if raw_id else None)
    if reply is None:
        return None, False
    quoted_id, id_says_ours, id_sender = _quoted_id(reply.id or raw_id)
    known_sender = reply.participant or id_sender or raw_sender
    sender = session.one_spelling(known_sender, "payload.replyTo.participant")
    text = clean_text(reply.body or "")
    if not text:
        named = engine_data.placeholder(reply.data)
        text = named or (media_placeholder(reply.media) if reply.media else "")
    if not (quoted_id or text):
        return None, False
    return Quote(quoted_id, text, sender), id_says_ours or sender in session.own_ids


def _quoted_id(value: str) -> tuple[str, bool, str]:
    """Return (bare id, whether the id marks it as ours, its participant)."""
    if "@" in value:
        parts = parse_message_id(value, "payload.replyTo.id")
        return parts.bare, parts.from_me, parts.participant
    return (bare_message_id(value, "payload.replyTo.id") if value else ""), False, ""
