"""One WAHA webhook to one value of the domain. Pure: no clock, no network, no stores.

`message` and `message.any` of one message become equal values, so subscribing to both is
harmless. Dedupe WhatsApp on (account, message id) without the chat where you can: one message can
arrive under a hidden and under a phone id, with one bare id.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from channels.inbound import Ack, Edit, Ignored, Inbound, Revoke
from channels.text import clean_text, safe_word
from channels.waha.jid import MessageId, bare_message_id, parse_message_id
from channels.waha.message import message_or_change
from channels.waha.payload import (
    AckPayload,
    CallPayload,
    EditPayload,
    Envelope,
    GroupPayload,
    MessagePayload,
    ReactionPayload,
    RevokePayload,
    StatusPayload,
)
from channels.waha.session import Session, session_of, status_update
from channels.waha.system_events import call, group, reaction, session_state
from channels.wire import read

_NO_LIDS: Mapping[str, str] = MappingProxyType({})


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
    session = session_of(envelope, tenant, account, owner_ids, known_bots, lids)
    name, payload = envelope.event, envelope.payload
    match name:
        case "message" | "message.any":
            return message_or_change(session, read(MessagePayload, payload, "payload"))
        case "message.ack" | "message.ack.group":
            return _ack(session, read(AckPayload, payload, "payload"))
        case "message.reaction":
            return reaction(session, read(ReactionPayload, payload, "payload"))
        case "message.edited":
            return _edit(session, read(EditPayload, payload, "payload"))
        case "message.revoked":
            return _revoke(session, read(RevokePayload, payload, "payload"))
        case "message.waiting":
            return Ignored("message.waiting: its text follows under the same id")
        case "session.status":
            return session_state(session, read(StatusPayload, payload, "payload"))
    if name.startswith("group.v2."):
        return group(session, read(GroupPayload, payload, "payload"))
    if name.startswith("call."):
        return call(session, read(CallPayload, payload, "payload"))
    return Ignored(f"event not read: {safe_word(name)}")


def _ack(session: Session, payload: AckPayload) -> Ack:
    parts = parse_message_id(payload.id or "", "payload.id")
    participant = session.one_spelling(
        payload.participant or parts.participant, "payload.participant"
    )
    return Ack(
        session.chat(parts.chat), parts.bare, payload.ack, safe_word(payload.name), participant
    )


def _edit(session: Session, payload: EditPayload) -> Edit | Ignored:
    parts = parse_message_id(payload.id or "", "payload.id")
    if skipped := status_update(parts.chat):
        return skipped
    sender, from_me = _author(session, parts, payload.participant, is_ours=payload.from_me)
    return Edit(
        chat=session.chat(parts.chat),
        message_id=bare_message_id(payload.edited_id or "", "payload.editedMessageId"),
        action_id=parts.bare,
        text=clean_text(payload.body or ""),
        sender_id=sender,
        from_me=from_me,
        edited_at=session.time_or_none(payload.timestamp),
    )


def _revoke(session: Session, payload: RevokePayload) -> Revoke | Ignored:
    # Some engines give one of the two as a bare id, which does not name the chat.
    told = [copy for copy in (payload.after, payload.before) if copy and copy.id]
    action = next((copy for copy in told if copy.id and "@" in copy.id), told[0] if told else None)
    parts = parse_message_id((action.id if action else None) or "", "payload.after.id")
    if skipped := status_update(parts.chat):
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
        revoked_at=session.time_or_none(),
    )


def _author(
    session: Session, parts: MessageId, participant: str | None, *, is_ours: bool | None = None
) -> tuple[str, bool]:
    """Return who did something to a message, and whether it was us."""
    is_group = parts.chat.endswith("@g.us")
    value = (participant or parts.participant) if is_group else parts.chat
    sender = session.one_spelling(value, "payload.participant")
    from_me = bool(is_ours) or parts.from_me or sender in session.own_ids
    return (session.own_id if from_me else sender), from_me
