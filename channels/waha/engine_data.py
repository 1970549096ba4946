"""What has no field of its own in WAHA and must be read from an engine's raw `_data`. Pure.

WEBJS, NOWEB and GOWS nest the same things differently, so keys are looked for at any depth, but
never inside a quoted message: who was mentioned there is not mentioned here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from channels.waha.jid import canonical_jid

MENTION_KEYS = ("mentionedJID", "mentionedJid", "mentioned_jid", "mentionedJidList")
_QUOTE_ID_KEYS = ("stanzaID", "stanzaId", "stanza_id", "quotedStanzaID", "quotedStanzaId")
_QUOTE_SENDER_KEYS = ("quotedParticipant", "participant")
_QUOTED_KEYS = frozenset({"quotedMessage", "quoted_message", "quotedMsg", "quotedMsgObj"})
_FORWARD_KEYS = ("isForwarded", "IsForwarded", "is_forwarded")
_NAME_KEYS = ("pushName", "PushName", "notifyName")
_LID_PAIRS = (
    ("remoteJid", "remoteJidAlt"),
    ("participant", "participantAlt"),
    ("Sender", "SenderAlt"),
    ("Chat", "RecipientAlt"),
)
_PROTOCOL_KEYS = ("protocolMessage", "secretEncryptedMessage", "editedMessage")
_PLACEHOLDER_BY_KEY = {
    "imageMessage": "[Image]",
    "audioMessage": "[Voice Message]",
    "videoMessage": "[Video]",
    "ptvMessage": "[Video]",
    "documentMessage": "[Document]",
    "documentWithCaptionMessage": "[Document]",
    "locationMessage": "[Location]",
    "liveLocationMessage": "[Location]",
    "contactMessage": "[Contact Card]",
    "contactsArrayMessage": "[Contact Card]",
    "stickerMessage": "[Sticker]",
}
_PLACEHOLDER_BY_TYPE = {
    "image": "[Image]",
    "ptt": "[Voice Message]",
    "audio": "[Voice Message]",
    "video": "[Video]",
    "document": "[Document]",
    "location": "[Location]",
    "vcard": "[Contact Card]",
    "multi_vcard": "[Contact Card]",
    "sticker": "[Sticker]",
}
_MAX_DEPTH = 12
"""Levels searched. The deepest seen in an engine's data is 6."""

# Raw engine data is whatever JSON holds, hence Any throughout.


def _objects(data: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield every object of the raw data, outermost first, quoted messages left out."""
    level: list[Any] = [data]
    for _ in range(_MAX_DEPTH):
        below: list[Any] = []
        for value in level:
            if isinstance(value, Mapping):
                yield value
                below.extend(child for key, child in value.items() if key not in _QUOTED_KEYS)
            elif isinstance(value, list):
                below.extend(value)
        if not below:
            return
        level = below


def jid_of(value: Any) -> str:
    """Return an id given as text or as an object, canonical; empty when it is neither."""
    if isinstance(value, Mapping):
        if isinstance(value.get("_serialized"), str):
            value = value["_serialized"]
        else:
            value = f"{value.get('user', '')}@{value.get('server', '')}"
    return canonical_jid(value) if isinstance(value, str) and value.strip("@ ") else ""


def mentions(data: Mapping[str, Any]) -> frozenset[str]:
    """Return the ids a message mentions, canonical."""
    found: set[str] = set()
    for node in _objects(data):
        for key in MENTION_KEYS:
            values = node.get(key)
            for value in values if isinstance(values, list) else [values]:
                found.add(jid_of(value))
    return frozenset(found - {""})


def quoted_ref(data: Mapping[str, Any]) -> tuple[str, str]:
    """Return (bare id, sender) of the quoted message; each empty when unknown."""
    for node in _objects(data):
        ids = [node[key] for key in _QUOTE_ID_KEYS if isinstance(node.get(key), str)]
        if ids and ids[0]:
            senders = [jid_of(node.get(key)) for key in _QUOTE_SENDER_KEYS]
            return ids[0], next((sender for sender in senders if sender), "")
    return "", jid_of(data.get("quotedParticipant"))


def is_forwarded(data: Mapping[str, Any]) -> bool:
    """Tell whether a message was forwarded: its text is no statement of its sender (X6)."""
    return any(node.get(key) is True for node in _objects(data) for key in _FORWARD_KEYS)


def sender_name(data: Mapping[str, Any]) -> str:
    """Return the name the sender gave themselves; empty when unknown."""
    for node in (data, data.get("Info")):
        if isinstance(node, Mapping):
            for key in _NAME_KEYS:
                if isinstance(node.get(key), str) and node[key].strip():
                    return str(node[key])
    return ""


def group_sender(data: Mapping[str, Any]) -> str:
    """Return the participant of a group message as the engine has it; empty when unknown."""
    key, info = data.get("key"), data.get("Info")
    candidates = (
        key.get("participant") if isinstance(key, Mapping) else None,
        info.get("Sender") if isinstance(info, Mapping) else None,
        data.get("author"),
    )
    return next((jid for jid in map(jid_of, candidates) if jid), "")


def lid_pairs(data: Mapping[str, Any]) -> dict[str, str]:
    """Return hidden id -> phone id, as far as the engine tells both."""
    pairs: dict[str, str] = {}
    for node in (data, data.get("key"), data.get("Info")):
        if not isinstance(node, Mapping):
            continue
        for one, other in _LID_PAIRS:
            ids = {jid_of(node.get(one)), jid_of(node.get(other))}
            hidden = next((jid for jid in ids if jid.endswith("@lid")), "")
            phone = next((jid for jid in ids if jid.endswith("@c.us")), "")
            if hidden and phone:
                pairs[hidden] = phone
    return pairs


def placeholder(data: Mapping[str, Any]) -> str:
    """Return the placeholder for the kind of content the engine names; empty when it is text."""
    kind = data.get("type")
    if isinstance(kind, str) and kind in _PLACEHOLDER_BY_TYPE:
        return _PLACEHOLDER_BY_TYPE[kind]
    for node in _objects(data):
        for key, text in _PLACEHOLDER_BY_KEY.items():
            if isinstance(node.get(key), Mapping):
                return text
    return ""


def is_protocol_only(data: Mapping[str, Any]) -> bool:
    """Tell whether the content is a protocol notice (edit, revoke, timer) and nothing to read."""
    content = data.get("message", data.get("Message"))
    return isinstance(content, Mapping) and any(
        isinstance(content.get(key), Mapping) for key in _PROTOCOL_KEYS
    )
