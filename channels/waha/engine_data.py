"""What has no field of its own in WAHA and must be read from an engine's raw `_data`. Pure.

WEBJS, NOWEB and GOWS nest the same things differently, so keys are looked for at any depth, but
never inside a quoted message: who was mentioned there is not mentioned here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

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
# Contents that are no words of anyone: what happened to another message, keys, timers.
_NOTICES = frozenset(
    {
        "protocolMessage",
        "secretEncryptedMessage",
        "editedMessage",
        "reactionMessage",
        "encReactionMessage",
        "pollUpdateMessage",
        "pinInChatMessage",
        "keepInChatMessage",
        "senderKeyDistributionMessage",
    }
)
_NOTICE_TYPES = frozenset(
    {
        "protocol",
        "revoked",
        "ciphertext",
        "reaction",
        "e2e_notification",
        "notification",
        "notification_template",
        "gp2",
    }
)
_TEXT_KEYS = ("conversation", "text", "caption")
# Source: WhatsApp's protocol buffers (whatsmeow waE2E), ProtocolMessage.Type.
_REVOKES = frozenset({0, "0", "REVOKE"})
_EDITS = frozenset({14, "14", "MESSAGE_EDIT"})
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
    "pollCreationMessage": "[Poll]",
    "pollCreationMessageV2": "[Poll]",
    "pollCreationMessageV3": "[Poll]",
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
    "poll_creation": "[Poll]",
}
_LATEST_S = 253402300799.0
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


def is_notice(data: Mapping[str, Any]) -> bool:
    """Tell whether there is nothing to read: an edit, a revoke, a key, or not decrypted yet."""
    kind = data.get("type")
    if isinstance(kind, str) and kind in _NOTICE_TYPES:
        return True
    content = data.get("message", data.get("Message"))
    if not isinstance(content, Mapping) or not content:
        return bool(data.get("messageStubType"))
    told = {key for key, value in content.items() if value} | (_NOTICES & content.keys())
    # A first message in a group brings its key along: that is no notice.
    return bool(told & _NOTICES) and told <= _NOTICES | {"messageContextInfo"}


@dataclass(frozen=True, slots=True)
class Action:
    """What a protocol notice does to the message `target`; `text` is an edit's new one."""

    kind: Literal["edit", "revoke"]
    target: str
    text: str
    at: float | None


def action(data: Mapping[str, Any]) -> Action | None:
    """Return the edit or revoke that the engine reports as a message; None when it tells none.

    The text of an encrypted edit (`secretEncryptedMessage`) is nowhere told.
    """
    for node in _objects(data):
        notice = node.get("protocolMessage")
        if isinstance(notice, Mapping):
            return _action(notice)
    return None


def _action(notice: Mapping[str, Any]) -> Action | None:
    key, kind, edited = notice.get("key"), notice.get("type"), notice.get("editedMessage")
    if not isinstance(key, Mapping):
        return None
    target = next((key[name] for name in ("id", "ID") if isinstance(key.get(name), str)), "")
    if not target:
        return None
    if isinstance(kind, Mapping | list):
        return None
    if isinstance(edited, Mapping) and (kind is None or kind in _EDITS):
        text = _text(edited)
        stamp = notice.get("timestampMs", notice.get("timestampMS"))
        return None if text is None else Action("edit", target, text, _milliseconds(stamp))
    return Action("revoke", target, "", None) if kind in _REVOKES else None


def _text(content: Mapping[str, Any]) -> str | None:
    for node in _objects(content):
        for key in _TEXT_KEYS:
            if isinstance(node.get(key), str):
                return str(node[key])
    return None


def _milliseconds(value: Any) -> float | None:
    try:
        number = float(value) / 1000
    except (TypeError, ValueError, OverflowError):
        return None
    return number if 0 < number < _LATEST_S else None
