"""WAHA's shapes, engine by engine: the answer to a send, and the webhook that echoes it."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

from evals.loops.cases import Me
from evals.loops.placeholders import Sent

SIGNATURE = "X-Webhook-Hmac"


def signed(body: bytes, key: str, at_ms: int) -> dict[str, str]:
    """Return the headers of a webhook. Source: WAHA's documentation, webhooks, HMAC."""
    digest = hmac.new(key.encode(), body, hashlib.sha512).hexdigest()
    return {
        "Content-Type": "application/json",
        SIGNATURE: digest,
        f"{SIGNATURE}-Algorithm": "sha512",
        "X-Webhook-Timestamp": str(at_ms),
    }


def full_id(chat_id: str, message_id: str, me: Me) -> str:
    """Return the serialized id of a message of ours; groups name the sender as well."""
    serialized = f"true_{chat_id}_{message_id}"
    return f"{serialized}_{me.id}" if chat_id.endswith("@g.us") else serialized


def answer(sent: Sent, engine: str) -> dict[str, Any]:
    """Return what a send call answers."""
    if engine == "NOWEB":
        key = {"remoteJid": _inner(sent.chat_id), "fromMe": True, "id": sent.message_id}
        return {
            "key": key,
            "message": {"extendedTextMessage": {"text": sent.text}},
            "messageTimestamp": str(sent.at),
            "status": "PENDING",
        }
    if engine == "WEBJS":
        inner = {"fromMe": True, "remote": sent.chat_id, "id": sent.message_id}
        return {"id": inner | {"_serialized": sent.full_id}, "body": sent.text, "ack": 0}
    return {"id": sent.full_id, "_data": {"Info": {"ID": sent.message_id}}}


def echo(
    sent: Sent, session: str, me: Me, engine: str, *, event_id: str, has_source: bool
) -> dict[str, Any]:
    """Return the webhook that reports a message of ours."""
    envelope: dict[str, Any] = {
        "id": event_id,
        "timestamp": sent.at * 1000 + 500,
        "event": "message.any",
        "session": session,
        "metadata": {},
        "me": {"id": me.id, "pushName": "Account"} | ({"lid": me.lid} if me.lid else {}),
        "payload": payload(sent, me, engine),
        "engine": engine,
        "environment": {"version": "2026.9.1", "engine": engine, "tier": "CORE", "browser": None},
    }
    if not has_source:
        del envelope["payload"]["source"]
    return envelope


def payload(sent: Sent, me: Me, engine: str) -> dict[str, Any]:
    """Return a message of ours as this engine reports it; who is from and to differs."""
    is_group = sent.chat_id.endswith("@g.us")
    from_, to = sent.chat_id, None
    if engine == "WEBJS":
        from_, to = me.id, sent.chat_id
    elif engine == "GOWS" and is_group:
        to = me.lid or me.id
    return {
        "id": sent.full_id,
        "timestamp": sent.at,
        "from": from_,
        "fromMe": True,
        "source": "api",
        "to": to,
        "participant": me.id if is_group else None,
        "body": sent.text,
        "hasMedia": False,
        "media": None,
        "ack": 1,
        "ackName": "SERVER",
        "location": None,
        "vCards": None,
        "replyTo": {"id": sent.reply_to} if sent.reply_to else None,
        "_data": _data(sent, me, engine, is_group=is_group),
    }


def _data(sent: Sent, me: Me, engine: str, *, is_group: bool) -> dict[str, Any]:
    chat = _inner(sent.chat_id)
    sender = _inner(me.id) if is_group else ""
    if engine == "WEBJS":
        inner = {"fromMe": True, "remote": sent.chat_id, "id": sent.message_id}
        return {"id": inner | {"_serialized": sent.full_id}, "type": "chat", "mentionedJidList": []}
    if engine == "NOWEB":
        key = {"remoteJid": chat, "fromMe": True, "id": sent.message_id, "participant": sender}
        return {"key": key, "message": {"conversation": sent.text}, "status": 2}
    info = {
        "Chat": chat,
        "Sender": _inner(me.id),
        "IsFromMe": True,
        "IsGroup": is_group,
        "ID": sent.message_id,
        "SenderAlt": "",
        "RecipientAlt": "",
    }
    return {"Info": info, "Message": {"conversation": sent.text}}


def _inner(jid: str) -> str:
    """Return an id as it is spelt inside `_data`."""
    return jid.replace("@c.us", "@s.whatsapp.net")
