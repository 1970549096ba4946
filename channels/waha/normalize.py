"""One WAHA webhook to one value of the domain. Pure: no clock, no network, no stores.

`message` and `message.any` of one message become equal values, so subscribing to both is
harmless. Dedupe WhatsApp on (account, message id) without the chat where you can: one message can
arrive under a hidden and under a phone id, with one bare id.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from types import MappingProxyType

from channels.actor import decide_actor, may_command
from channels.errors import MalformedPayload
from channels.inbound import Ack, Edit, Ignored, Inbound, Revoke, SystemEvent
from channels.text import clean_name, clean_text, safe_word
from channels.waha import engine_data
from channels.waha.accounts import lid_pairs
from channels.waha.jid import (
    MessageId,
    bare_message_id,
    canonical_jid,
    check_id,
    parse_message_id,
    spellings,
    told_message_id,
)
from channels.waha.payload import (
    AckPayload,
    CallPayload,
    EditPayload,
    Envelope,
    GroupPayload,
    MessagePayload,
    ReactionPayload,
    ReplyTo,
    RevokePayload,
    StatusPayload,
)
from channels.waha.text import media_placeholder, text_of
from channels.wire import read
from memory.domain.chats import Actor, ChatRef, Message, Quote

CHANNEL = "waha"
_ONE_TO_MANY = ("@newsletter", "@broadcast")  # where only one can speak
_NO_LIDS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class _Session:
    """What is known before the payload is read."""

    tenant: str
    account: str
    event: str
    at: float | None
    own_ids: frozenset[str]
    own_id: str
    owner_ids: frozenset[str]
    known_bots: frozenset[str]
    lids: Mapping[str, str]

    def chat(self, jid: str) -> ChatRef:
        return ChatRef(self.tenant, CHANNEL, self.account, self.lids.get(jid, jid))

    def one_spelling(self, jid: str | None, field: str) -> str:
        """Return an id in its phone form if known; empty stays empty."""
        if not jid:
            return ""
        canonical = canonical_jid(check_id(jid, field))
        return self.lids.get(canonical, canonical)


def normalize(
    event: object,
    *,
    tenant: str,
    account: str,
    owner_ids: frozenset[str],
    known_bots: frozenset[str],
    lids: Mapping[str, str] = _NO_LIDS,
) -> Inbound:
    """Turn one parsed webhook into a domain value.

    The actor is decided without the outbox: a reply of ours that comes back as an echo is the
    owner (source `app`) or automation (any other) here, and the policy gate upgrades it to the
    agent when the outbox knows it. Neither is ever answered, so nothing depends on the order.

    Args:
        event: The webhook's JSON, e.g. from `payload.parse_body`.
        tenant: Tenant that owns the account.
        account: Name of the account in our settings; part of every chat's key.
        owner_ids: Other WhatsApp ids of the owner, in any spelling, phone numbers included.
        known_bots: WhatsApp ids known to be machines, in any spelling.
        lids: Hidden id (`x@lid`) to phone id (`y@c.us`), as far as resolved before. Chats,
            senders and contacts get their phone form where it is listed. `lid_pairs` reads pairs
            that a payload itself reveals.

    Raises:
        MalformedPayload: The event lacks what its kind must have, or a field has a wrong type.
    """
    envelope = read(Envelope, event, "")
    session = _session(envelope, tenant, account, owner_ids, known_bots, lids)
    name, payload = envelope.event, envelope.payload
    match name:
        case "message" | "message.any":
            return _message_or_change(session, read(MessagePayload, payload, "payload"))
        case "message.ack" | "message.ack.group":
            return _ack(session, read(AckPayload, payload, "payload"))
        case "message.reaction":
            return _reaction(session, read(ReactionPayload, payload, "payload"))
        case "message.edited":
            return _edit(session, read(EditPayload, payload, "payload"))
        case "message.revoked":
            return _revoke(session, read(RevokePayload, payload, "payload"))
        case "message.waiting":
            return Ignored("message.waiting: its text follows under the same id")
        case "session.status":
            return _state(session, read(StatusPayload, payload, "payload"))
    if name.startswith("group.v2."):
        return _group(session, read(GroupPayload, payload, "payload"))
    if name.startswith("call."):
        return _call(session, read(CallPayload, payload, "payload"))
    return Ignored(f"event not read: {safe_word(name)}")


def _session(
    envelope: Envelope,
    tenant: str,
    account: str,
    owner_ids: frozenset[str],
    known_bots: frozenset[str],
    lids: Mapping[str, str],
) -> _Session:
    me = envelope.me
    # An account named by its number tells who we are even when the gateway does not.
    named = {account} if canonical_jid(account).endswith(("@c.us", "@lid")) else set()
    own = {value for value in ((me.id, me.lid, me.jid) if me else ()) if value} | named
    revealed = lid_pairs({"payload": envelope.payload}) | dict(lids)
    if me and me.id and me.lid:
        revealed[canonical_jid(me.lid)] = canonical_jid(me.id)
    own_id = (me.id or me.jid or me.lid if me else None) or account
    return _Session(
        tenant=tenant,
        account=account,
        event=envelope.event,
        at=envelope.timestamp,
        own_ids=spellings(own, revealed),
        own_id=canonical_jid(own_id),
        owner_ids=spellings(owner_ids, revealed),
        known_bots=spellings(known_bots, revealed),
        lids=lids,
    )


def _message_or_change(
    session: _Session, payload: MessagePayload
) -> Message | SystemEvent | Edit | Revoke | Ignored:
    parts = parse_message_id(payload.id or "", "payload.id")
    if skipped := _status_update(parts.chat):
        return skipped
    if not (payload.body or "").strip() and engine_data.is_notice(payload.data):
        return _change(session, parts, payload)
    if parts.chat.endswith(_ONE_TO_MANY):
        sender, from_me = _sender(session, parts, payload)
        at = _time(payload.timestamp, session.at)
        return _system(session, parts.chat, parts.bare, text_of(payload), at, sender, from_me)
    return _message(session, parts, payload)


def _change(
    session: _Session, parts: MessageId, payload: MessagePayload
) -> Edit | Revoke | Ignored:
    """Read a message without a text of its own: an engine's way to report an edit or a revoke."""
    action = engine_data.action(payload.data)
    if action is None:
        return Ignored("notice without text")
    chat = session.chat(parts.chat)
    target = bare_message_id(action.target, "payload._data")
    sender, from_me = _sender(session, parts, payload)
    if action.kind == "revoke":
        at = _time_or_none(payload.timestamp, session.at)
        return Revoke(chat, target, parts.bare, sender, from_me, at)
    at = _time_or_none(action.at or payload.timestamp, session.at)
    return Edit(chat, target, parts.bare, clean_text(action.text), sender, from_me, at)


def _sender(session: _Session, parts: MessageId, payload: MessagePayload) -> tuple[str, bool]:
    """Return who sent a message, and whether it was us."""
    is_group = parts.chat.endswith("@g.us")
    participant = payload.participant or parts.participant or engine_data.group_sender(payload.data)
    sender = session.one_spelling(participant if is_group else parts.chat, "payload.participant")
    from_me = bool(payload.from_me) or parts.from_me or sender in session.own_ids
    return (session.own_id if from_me else sender), from_me


def _message(session: _Session, parts: MessageId, payload: MessagePayload) -> Message:
    sender, from_me = _sender(session, parts, payload)
    quote, replies_to_agent = _quote(session, payload)
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
        text=text_of(payload),
        sent_at=_time(payload.timestamp, session.at),
        sender_name=clean_name(engine_data.sender_name(payload.data)),
        is_group=parts.chat.endswith("@g.us"),
        from_me=from_me,
        mentions_agent=bool(engine_data.mentions(payload.data) & session.own_ids),
        replies_to_agent=replies_to_agent,
        forwarded=engine_data.is_forwarded(payload.data),
        is_owner=may_command(actor, sender, session.owner_ids),
        quote=quote,
    )


def _contact(session: _Session, parts: MessageId, sender: str, *, from_me: bool) -> str:
    """Return who the chat is with: the other side of a direct chat, the speaker in a group."""
    if parts.chat.endswith("@g.us"):
        return f"{CHANNEL}:{sender}" if sender and not from_me else ""
    return f"{CHANNEL}:{session.lids.get(parts.chat, parts.chat)}"


def _quote(session: _Session, payload: MessagePayload) -> tuple[Quote | None, bool]:
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


def _ack(session: _Session, payload: AckPayload) -> Ack:
    parts = parse_message_id(payload.id or "", "payload.id")
    participant = session.one_spelling(
        payload.participant or parts.participant, "payload.participant"
    )
    return Ack(
        session.chat(parts.chat), parts.bare, payload.ack, safe_word(payload.name), participant
    )


def _reaction(session: _Session, payload: ReactionPayload) -> SystemEvent | Ignored:
    parts = parse_message_id(payload.id or "", "payload.id")
    if skipped := _status_update(parts.chat):
        return skipped
    symbol = clean_name(payload.reaction.text or "")[:16]
    text = f"[reaction {symbol}]" if symbol else "[reaction removed]"
    at = _time(payload.timestamp, session.at)
    # Never the id of a message: an engine may name the reaction as what it is a reaction to.
    line = _system(session, parts.chat, f"reaction-{parts.bare}", text, at)
    return replace(line, about=told_message_id(payload.reaction.message_id))


def _edit(session: _Session, payload: EditPayload) -> Edit | Ignored:
    parts = parse_message_id(payload.id or "", "payload.id")
    if skipped := _status_update(parts.chat):
        return skipped
    sender, from_me = _author(session, parts, payload.participant, is_ours=payload.from_me)
    return Edit(
        chat=session.chat(parts.chat),
        message_id=bare_message_id(payload.edited_id or "", "payload.editedMessageId"),
        action_id=parts.bare,
        text=clean_text(payload.body or ""),
        sender_id=sender,
        from_me=from_me,
        edited_at=_time_or_none(payload.timestamp, session.at),
    )


def _revoke(session: _Session, payload: RevokePayload) -> Revoke | Ignored:
    # Some engines give one of the two as a bare id, which does not name the chat.
    told = [copy for copy in (payload.after, payload.before) if copy and copy.id]
    action = next((copy for copy in told if copy.id and "@" in copy.id), told[0] if told else None)
    parts = parse_message_id((action.id if action else None) or "", "payload.after.id")
    if skipped := _status_update(parts.chat):
        return skipped
    # Older gateways send no revokedMessageId: then the copy from before names the message.
    before = payload.before.id if payload.before else None
    target = payload.revoked_id or before or ""
    sender, from_me = _author(session, parts, action.participant if action else None)
    return Revoke(
        chat=session.chat(parts.chat),
        message_id=bare_message_id(target, "payload.revokedMessageId"),
        action_id=parts.bare,
        sender_id=sender,
        from_me=from_me,
        revoked_at=_time_or_none(None, session.at),
    )


def _author(
    session: _Session, parts: MessageId, participant: str | None, *, is_ours: bool | None = None
) -> tuple[str, bool]:
    """Return who did something to a message, and whether it was us."""
    is_group = parts.chat.endswith("@g.us")
    value = (participant or parts.participant) if is_group else parts.chat
    sender = session.one_spelling(value, "payload.participant")
    from_me = bool(is_ours) or parts.from_me or sender in session.own_ids
    return (session.own_id if from_me else sender), from_me


def _group(session: _Session, payload: GroupPayload) -> SystemEvent:
    chat = canonical_jid(check_id(payload.group.id or "", "payload.group.id"))
    kind = session.event.removeprefix("group.v2.")
    text = f"[group {safe_word(payload.type if kind == 'participants' else kind)}]"
    at = _time(payload.timestamp, session.at)
    # Group events have no id of their own, and the envelope's is new with every delivery.
    members = sorted(member.id or "" for member in payload.participants or ())
    what = [session.event, chat, payload.type or "", str(at), payload.group.subject or "", *members]
    digest = sha256("\x1f".join(what).encode("utf-8", "replace")).hexdigest()[:24]
    return _system(session, chat, f"group-{digest}", text, at)


def _call(session: _Session, payload: CallPayload) -> SystemEvent:
    caller = session.one_spelling(payload.caller or "", "payload.from")
    if not caller:
        raise MalformedPayload("payload.from", "is empty")
    kind = safe_word(session.event.removeprefix("call."))
    call_id = check_id(payload.id, "payload.id")
    at = _time(payload.timestamp, session.at)
    return _system(session, caller, f"call-{kind}-{call_id}", f"[call {kind}]", at)


def _state(session: _Session, payload: StatusPayload) -> SystemEvent | Ignored:
    """Return a line of the account's own chat. Its time tells it from a redelivery."""
    state, at = safe_word(payload.status), _time_or_none(None, session.at)
    if at is None:
        return Ignored(f"session.status without a time: {state}")
    message_id = f"session-{state}-{at.timestamp():.3f}"
    return _system(session, session.account, message_id, f"[session {state}]", at)


def _system(
    session: _Session,
    chat: str,
    message_id: str,
    text: str,
    at: datetime,
    sender_id: str = "",
    from_me: bool = False,
) -> SystemEvent:
    ref = session.chat(chat)
    message = Message(
        chat=ref,
        message_id=message_id,
        actor=Actor.SYSTEM,
        sender_id=sender_id,
        contact_id=f"{CHANNEL}:{ref.chat_id}" if chat.endswith(("@c.us", "@lid")) else "",
        text=text,
        sent_at=at,
        is_group=chat.endswith(("@g.us", *_ONE_TO_MANY)),
        from_me=from_me,
    )
    return SystemEvent(session.event, message)


def _status_update(chat: str) -> Ignored | None:
    """Tell that a chat is not kept: what people post as their status is gone after a day."""
    return Ignored("status update") if chat == "status@broadcast" else None


def _time(seconds: float | None, fallback: float | None) -> datetime:
    at = _time_or_none(seconds, fallback)
    if at is None:
        raise MalformedPayload("payload.timestamp", "is missing")
    return at


def _time_or_none(seconds: float | None, fallback: float | None) -> datetime | None:
    value = seconds if seconds is not None else fallback
    return None if value is None else datetime.fromtimestamp(value, UTC)
