"""What happens besides messages, each as a line of a chat. Pure.

Whatever lacks what its kind must have raises `MalformedPayload`.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from hashlib import sha256

from channels.errors import MalformedPayload
from channels.inbound import Ignored, SystemEvent
from channels.text import clean_name, safe_word
from channels.waha.jid import canonical_jid, check_id, parse_message_id, told_message_id
from channels.waha.payload import CallPayload, GroupPayload, ReactionPayload, StatusPayload
from channels.waha.session import CHANNEL, Session, status_update
from memory.domain.chats import Actor, Message

ONE_TO_MANY = ("@newsletter", "@broadcast")
"""Chats in which only one can speak."""


def reaction(session: Session, payload: ReactionPayload) -> SystemEvent | Ignored:
    """Return a line of what somebody set under a message, or took away."""
    parts = parse_message_id(payload.id or "", "payload.id")
    if skipped := status_update(parts.chat):
        return skipped
    symbol = clean_name(payload.reaction.text or "")[:16]
    text = f"[reaction {symbol}]" if symbol else "[reaction removed]"
    at = session.time_of(payload.timestamp)
    # Never the id of a message: an engine may name the reaction as what it is a reaction to.
    line = system_event(session, parts.chat, f"reaction-{parts.bare}", text, at)
    return replace(line, about=told_message_id(payload.reaction.message_id))


def group(session: Session, payload: GroupPayload) -> SystemEvent:
    """Return a line of who joined or left a group, or how it changed."""
    chat = canonical_jid(check_id(payload.group.id or "", "payload.group.id"))
    kind = session.event.removeprefix("group.v2.")
    text = f"[group {safe_word(payload.type if kind == 'participants' else kind)}]"
    at = session.time_of(payload.timestamp)
    # Group events have no id of their own, and the envelope's is new with every delivery.
    members = sorted(member.id or "" for member in payload.participants or ())
    what = [session.event, chat, payload.type or "", str(at), payload.group.subject or "", *members]
    digest = sha256("\x1f".join(what).encode("utf-8", "replace")).hexdigest()[:24]
    return system_event(session, chat, f"group-{digest}", text, at)


def call(session: Session, payload: CallPayload) -> SystemEvent:
    """Return a line of a call that came, was taken or refused."""
    caller = session.one_spelling(payload.caller or "", "payload.from")
    if not caller:
        raise MalformedPayload("payload.from", "is empty")
    kind = safe_word(session.event.removeprefix("call."))
    call_id = check_id(payload.id, "payload.id")
    at = session.time_of(payload.timestamp)
    return system_event(session, caller, f"call-{kind}-{call_id}", f"[call {kind}]", at)


def session_state(session: Session, payload: StatusPayload) -> SystemEvent | Ignored:
    """Return a line of the account's own chat. Its time tells it from a redelivery."""
    state, at = safe_word(payload.status), session.time_or_none()
    if at is None:
        return Ignored(f"session.status without a time: {state}")
    message_id = f"session-{state}-{at.timestamp():.3f}"
    return system_event(session, session.account, message_id, f"[session {state}]", at)


def system_event(
    session: Session,
    chat: str,
    message_id: str,
    text: str,
    at: datetime,
    sender_id: str = "",
    from_me: bool = False,
) -> SystemEvent:
    """Return a line of a chat that no person wrote."""
    ref = session.chat(chat)
    message = Message(
        chat=ref,
        message_id=message_id,
        actor=Actor.SYSTEM,
        sender_id=sender_id,
        contact_id=f"{CHANNEL}:{ref.chat_id}" if chat.endswith(("@c.us", "@lid")) else "",
        text=text,
        sent_at=at,
        is_group=chat.endswith(("@g.us", *ONE_TO_MANY)),
        from_me=from_me,
    )
    return SystemEvent(session.event, message)
