"""Webhooks as the three engines send them, written by hand for the tests."""

from __future__ import annotations

from typing import Any

ME = {"id": "4911110000@c.us", "lid": "99000000001@lid", "pushName": "Assistant"}
AT = 1_790_000_000
CONTACT, GROUP = "4915770001@c.us", "120363000000000009@g.us"


def event(name: str, payload: object, **envelope: Any) -> dict[str, Any]:
    """Wrap a payload the way WAHA does."""
    base = {"id": "evt_01", "timestamp": AT * 1000, "event": name, "session": "default", "me": ME}
    return base | {"payload": payload, "engine": "GOWS"} | envelope


def message(**fields: Any) -> dict[str, Any]:
    """Return a contact's direct message; `fields` override."""
    base: dict[str, Any] = {
        "id": f"false_{CONTACT}_3EB0AA",
        "timestamp": AT,
        "from": CONTACT,
        "fromMe": False,
        "source": "app",
        "body": "hello",
        "hasMedia": False,
        "media": None,
    }
    return event("message", base | fields)


def in_group(**fields: Any) -> dict[str, Any]:
    """Return a participant's group message; `fields` override."""
    group = {"id": f"false_{GROUP}_3EB0BB_{CONTACT}", "from": GROUP, "participant": CONTACT}
    return message(**(group | fields))


WEBJS = message(
    to=ME["id"],
    _data={
        "id": {"fromMe": False, "remote": CONTACT, "id": "3EB0AA"},
        "type": "chat",
        "notifyName": "Mira",
        "isForwarded": True,
        "mentionedJidList": [{"server": "c.us", "user": "4911110000", "_serialized": ME["id"]}],
        "quotedStanzaID": "3EB0Q1",
        "quotedParticipant": {"_serialized": ME["id"]},
        "quotedMsg": {"body": "earlier", "mentionedJidList": ["1@c.us"]},
    },
    replyTo={"id": "3EB0Q1", "participant": {"_serialized": ME["id"]}, "body": "earlier"},
)
NOWEB = in_group(
    _data={
        "key": {
            "remoteJid": GROUP,
            "fromMe": False,
            "id": "3EB0BB",
            "participant": "77000000002@lid",
            "participantAlt": "4915770001@s.whatsapp.net",
        },
        "messageTimestamp": str(AT),
        "pushName": "Mira",
        "message": {
            "extendedTextMessage": {
                "text": "hello",
                "contextInfo": {
                    "stanzaId": "3EB0Q2",
                    "participant": "4911110000:7@s.whatsapp.net",
                    "mentionedJid": ["99000000001@lid"],
                    "quotedMessage": {"conversation": "earlier"},
                },
            }
        },
    }
)
GOWS = message(
    to=None,
    _data={
        "Info": {
            "Chat": "77000000002@lid",
            "Sender": "77000000002@lid",
            "SenderAlt": "4915770001@s.whatsapp.net",
            "ID": "3EB0AA",
            "PushName": "Mira",
        },
        "Message": {
            "extendedTextMessage": {
                "contextInfo": {"mentionedJID": [ME["id"]], "isForwarded": True}
            }
        },
    },
)
ACK = event("message.ack", {"id": f"true_{CONTACT}_3EB0CC", "ack": 3, "ackName": "READ"})
REACTION = event(
    "message.reaction",
    {
        "id": f"false_{CONTACT}_3EB0DD",
        "timestamp": AT + 0.853,
        "fromMe": False,
        "reaction": {"text": "🙏", "messageId": f"true_{CONTACT}_3EB0CC"},
    },
)
EDIT = event(
    "message.edited",
    {"id": f"false_{CONTACT}_3EB0EE", "editedMessageId": "3EB0AA", "body": "hello you"},
)
REVOKE = event(
    "message.revoked",
    {"after": {"id": f"false_{CONTACT}_3EB0FF"}, "revokedMessageId": "3EB0AA", "before": None},
)
EDIT_AS_MESSAGE = message(
    id=f"false_{CONTACT}_3EB0E2",
    body=None,
    _data={
        "key": {"remoteJid": CONTACT, "fromMe": False, "id": "3EB0E2"},
        "message": {
            "messageContextInfo": {"deviceListMetadataVersion": 2},
            "protocolMessage": {
                "key": {"remoteJid": CONTACT, "fromMe": False, "id": "3EB0AA"},
                "type": "MESSAGE_EDIT",
                "editedMessage": {"extendedTextMessage": {"text": "hello you"}},
                "timestampMs": str((AT + 60) * 1000),
            },
        },
    },
)
REVOKE_AS_MESSAGE = in_group(
    id=f"false_{GROUP}_3EB0F2_{CONTACT}",
    body="",
    _data={
        "Info": {"Chat": GROUP, "Sender": CONTACT, "IsGroup": True},
        "Message": {"protocolMessage": {"type": 0, "key": {"ID": "3EB0BB", "remoteJID": GROUP}}},
    },
)
JOIN = event(
    "group.v2.participants",
    {
        "type": "join",
        "timestamp": AT,
        "group": {"id": GROUP},
        "participants": [{"id": CONTACT, "role": "participant"}],
    },
)
CALL = event("call.received", {"id": "CA11", "from": CONTACT, "timestamp": AT})
STATUS = event("session.status", {"status": "WORKING", "statuses": []})
EVERY_KIND = (
    WEBJS,
    NOWEB,
    GOWS,
    ACK,
    REACTION,
    EDIT,
    REVOKE,
    EDIT_AS_MESSAGE,
    REVOKE_AS_MESSAGE,
    JOIN,
    CALL,
    STATUS,
)
