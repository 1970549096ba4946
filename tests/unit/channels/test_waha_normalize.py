"""Every shape of WAHA's traffic that has been seen, and what it becomes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from channels.errors import MalformedPayload
from channels.inbound import Ack, Edit, Ignored, Inbound, Revoke, SystemEvent
from channels.waha.accounts import lid_pairs, own_ids
from channels.waha.normalize import normalize
from channels.waha.payload import parse_body
from memory.domain.chats import Actor, Message
from tests.unit.channels import waha_events as sample
from tests.unit.channels.waha_events import AT, CONTACT, GROUP, ME, event, in_group, message


def _normalize(value: object, **known: Any) -> Inbound:
    settings: dict[str, Any] = {"owner_ids": frozenset(), "known_bots": frozenset()} | known
    return normalize(value, tenant="t", account="main", **settings)


def _message(value: object, **known: Any) -> Message:
    result = _normalize(value, **known)
    assert isinstance(result, Message)
    return result


def test_a_direct_message() -> None:
    got = _message(message())
    assert (got.chat.tenant, got.chat.channel, got.chat.account) == ("t", "waha", "main")
    assert (got.chat.chat_id, got.message_id, got.text) == (CONTACT, "3EB0AA", "hello")
    assert (got.sender_id, got.contact_id) == (CONTACT, f"waha:{CONTACT}")
    assert (got.actor, got.is_group, got.from_me) == (Actor.CONTACT, False, False)
    assert got.sent_at == datetime.fromtimestamp(AT, UTC)


def test_webjs() -> None:
    got = _message(sample.WEBJS)
    assert (got.sender_name, got.forwarded, got.mentions_agent) == ("Mira", True, True)
    assert got.replies_to_agent
    assert got.quote is not None
    assert (got.quote.message_id, got.quote.text) == ("3EB0Q1", "earlier")


def test_noweb_group_without_reply_to_reads_the_quote_from_raw_data() -> None:
    got = _message(sample.NOWEB)
    assert (got.is_group, got.chat.chat_id, got.contact_id) == (True, GROUP, f"waha:{CONTACT}")
    assert got.mentions_agent
    assert got.replies_to_agent
    assert got.quote is not None
    assert (got.quote.message_id, got.quote.sender_id) == ("3EB0Q2", ME["id"])


def test_gows() -> None:
    got = _message(sample.GOWS)
    assert (got.sender_name, got.mentions_agent, got.forwarded) == ("Mira", True, True)
    assert got.chat.chat_id == CONTACT


def test_message_and_message_any_are_one_message() -> None:
    twin = message() | {"event": "message.any", "id": "evt_02"}
    assert _message(twin) == _message(message())


@pytest.mark.parametrize("spelling", ["4911110000@s.whatsapp.net", "4911110000:3@c.us", ME["lid"]])
def test_our_own_group_message_is_ours_although_it_says_otherwise(spelling: str) -> None:
    got = _message(in_group(id=f"false_{GROUP}_3EB0BB", participant=spelling))
    assert (got.from_me, got.actor, got.contact_id) == (True, Actor.OWNER, "")
    assert got.sender_id == ME["id"]


@pytest.mark.parametrize(
    ("source", "actor"),
    [("app", Actor.OWNER), ("api", Actor.AUTOMATION), (None, Actor.AUTOMATION)],
)
def test_own_direct_messages_name_the_counterpart(source: str | None, actor: Actor) -> None:
    got = _message(message(id=f"true_{CONTACT}_3EB0AA", fromMe=True, source=source))
    assert (got.actor, got.from_me, got.contact_id) == (actor, True, f"waha:{CONTACT}")


def test_the_id_alone_tells_that_a_message_is_ours() -> None:
    assert _message(message(id=f"true_{CONTACT}_3EB0AA", fromMe=None)).from_me
    assert _message(message(id=f"true_{CONTACT}_3EB0AA")).from_me


def test_group_to_and_from_are_not_believed() -> None:
    got = _message(in_group(**{"from": CONTACT, "to": CONTACT}))
    assert got.chat.chat_id == GROUP


def test_the_participant_may_be_in_the_id_alone() -> None:
    assert _message(in_group(participant=None)).sender_id == CONTACT


def test_a_group_message_of_nobody_is_a_system_line() -> None:
    got = _message(in_group(id=f"false_{GROUP}_3EB0BB", participant=None))
    assert (got.actor, got.contact_id) == (Actor.SYSTEM, "")


def test_owner_and_bots_are_known_in_any_spelling_even_behind_a_hidden_id() -> None:
    got = _message(message(), owner_ids=frozenset({"+4915770001"}))
    assert (got.actor, got.is_owner) == (Actor.CONTACT, True)
    bots = frozenset({"4915770001@s.whatsapp.net"})
    assert _message(message(), known_bots=bots).actor is Actor.AUTOMATION
    hidden = sample.NOWEB["payload"] | {"participant": "77000000002@lid"}
    assert _message(event("message", hidden), known_bots=bots).actor is Actor.AUTOMATION


def test_resolved_hidden_ids_become_the_phone_id_everywhere() -> None:
    hidden = message(id="false_77000000002@lid_3EB0AA", **{"from": "77000000002@lid"})
    assert _message(hidden).contact_id == "waha:77000000002@lid"
    got = _message(hidden, lids={"77000000002@lid": CONTACT})
    assert got == _message(message())
    assert got.uid == _message(message()).uid


def test_pairs_of_hidden_and_phone_id_are_read_from_the_payload() -> None:
    assert lid_pairs(sample.NOWEB) == {"77000000002@lid": CONTACT}
    assert lid_pairs(sample.GOWS) == {"77000000002@lid": CONTACT}
    assert lid_pairs([]) == lid_pairs(message()) == {}


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"media": {"mimetype": "image/jpeg", "url": None}}, "[Image]"),
        ({"media": {"mimetype": "audio/ogg; codecs=opus"}}, "[Voice Message]"),
        ({"media": {"mimetype": "video/mp4"}}, "[Video]"),
        ({"media": {"mimetype": "application/pdf"}}, "[Document]"),
        ({"media": {"mimetype": None, "filename": "x.bin"}}, "[Document]"),
        ({"media": {"mimetype": "image/webp"}}, "[Sticker]"),
        ({"location": {"latitude": 1.5, "longitude": 2}}, "[Location]"),
        ({"location": {"latitude": 1.5}, "body": "/9j/4AAQSkZJRg"}, "[Location]"),
        ({"vCards": ["BEGIN:VCARD..."]}, "[Contact Card]"),
        ({"body": "BEGIN:VCARD\nFN:X", "_data": {"type": "vcard"}}, "[Contact Card]"),
        ({"hasMedia": True, "media": None}, "[Media]"),
        ({"hasMedia": True, "_data": {"type": "ptt"}}, "[Voice Message]"),
        ({"_data": {"message": {"documentMessage": {"title": "a"}}}}, "[Document]"),
        ({"_data": {"Message": {"stickerMessage": {}}}}, "[Sticker]"),
        ({"media": {"mimetype": "image/png"}, "body": "a caption"}, "a caption"),
        ({"vCards": [], "_data": {}}, ""),
    ],
)
def test_text_or_placeholder(fields: dict[str, Any], text: str) -> None:
    assert _message(message(**({"body": None} | fields))).text == text


@pytest.mark.parametrize(
    ("reply", "message_id", "ours"),
    [
        ("3EB0Q", "3EB0Q", False),
        (f"true_{CONTACT}_3EB0Q", "3EB0Q", True),
        ({"id": f"false_{CONTACT}_3EB0Q"}, "3EB0Q", False),
        ({"id": "3EB0Q", "participant": CONTACT, "body": "x", "_data": {}}, "3EB0Q", False),
        ({"id": "3EB0Q", "participant": ME["lid"]}, "3EB0Q", True),
        ({"id": "3EB0Q", "participant": {"_serialized": ME["id"]}}, "3EB0Q", True),
        ({"id": f"false_{GROUP}_3EB0Q_{ME['lid']}"}, "3EB0Q", True),
        ({"body": "only the text"}, "", False),
    ],
)
def test_replies_in_every_shape(reply: object, message_id: str, ours: bool) -> None:
    got = _message(in_group(replyTo=reply))
    assert got.quote is not None
    assert (got.quote.message_id, got.replies_to_agent) == (message_id, ours)


@pytest.mark.parametrize("reply", [None, "", {}])
def test_an_empty_reply_is_no_quote(reply: object) -> None:
    assert _message(message(replyTo=reply)).quote is None


def test_a_quoted_picture_has_a_placeholder() -> None:
    quote = _message(message(replyTo={"id": "Q", "media": {"mimetype": "image/png"}})).quote
    assert quote is not None
    assert quote.text == "[Image]"


def test_text_and_names_are_storable() -> None:
    got = _message(message(body="a\x00b\ud83d", _data={"pushName": " Eve\x00\n\u202e\t Doe "}))
    assert (got.text, got.sender_name) == ("a\ufffdb\ufffd", "Eve Doe")


def test_acks() -> None:
    got = _normalize(sample.ACK)
    assert isinstance(got, Ack)
    assert (got.message_id, got.level, got.name) == ("3EB0CC", 3, "READ")
    payload = {"id": f"true_{GROUP}_3EB0CC_{CONTACT}", "ack": None, "ackName": "UNKNOWN"}
    in_a_group = _normalize(event("message.ack.group", payload))
    assert isinstance(in_a_group, Ack)
    assert (in_a_group.level, in_a_group.participant_id) == (None, CONTACT)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (sample.REACTION, "[reaction 🙏]"),
        (sample.JOIN, "[group join]"),
        (sample.CALL, "[call received]"),
        (event("group.v2.leave", {"group": {"id": GROUP}, "timestamp": AT}), "[group leave]"),
    ],
)
def test_system_events_are_lines_of_the_system(value: dict[str, Any], text: str) -> None:
    got = _normalize(value)
    assert isinstance(got, SystemEvent)
    assert (got.message.actor, got.message.text) == (Actor.SYSTEM, text)
    assert _normalize(value | {"id": "evt_other"}) == got


@pytest.mark.parametrize("chat", ["1203@newsletter", "1700@broadcast"])
def test_a_post_to_many_is_a_line_of_the_system(chat: str) -> None:
    got = _normalize(message(id=f"false_{chat}_3EB0AA", body="news", **{"from": chat}))
    assert isinstance(got, SystemEvent)
    line = got.message
    assert (line.chat.chat_id, line.message_id, line.text) == (chat, "3EB0AA", "news")
    assert (line.actor, line.contact_id, line.is_group) == (Actor.SYSTEM, "", True)
    assert not line.awaits_turn
    edit = _normalize(sample.EDIT | {"payload": sample.EDIT["payload"] | {"id": f"false_{chat}_E"}})
    assert isinstance(edit, Edit)
    assert (edit.sender_id, edit.from_me) == (line.sender_id, line.from_me)


def test_a_sessions_state_is_a_line_of_the_accounts_own_chat() -> None:
    got = _normalize(sample.STATUS)
    assert isinstance(got, SystemEvent)
    line = got.message
    assert (line.chat.chat_id, line.text) == ("main", "[session WORKING]")
    assert (line.actor, line.contact_id, line.awaits_turn) == (Actor.SYSTEM, "", False)
    assert _normalize(sample.STATUS | {"id": "evt_other"}) == got
    later = _normalize(sample.STATUS | {"timestamp": (AT + 60) * 1000})
    assert isinstance(later, SystemEvent)
    assert later.message.message_id != line.message_id


def test_an_edit_names_its_target_and_itself() -> None:
    got = _normalize(sample.EDIT)
    assert isinstance(got, Edit)
    assert (got.message_id, got.action_id, got.text) == ("3EB0AA", "3EB0EE", "hello you")
    assert got.sender_id == CONTACT


def test_a_revoke_names_its_target_and_itself() -> None:
    got = _normalize(sample.REVOKE)
    assert isinstance(got, Revoke)
    assert (got.message_id, got.action_id) == ("3EB0AA", "3EB0FF")


EDITED = {"conversation": "hello you"}


@pytest.mark.parametrize(
    "content",
    [
        sample.EDIT_AS_MESSAGE["payload"]["_data"]["message"],
        {"protocolMessage": {"key": {"id": "3EB0AA"}, "type": 14, "editedMessage": EDITED}},
        {"protocolMessage": {"key": {"ID": "3EB0AA"}, "editedMessage": EDITED}},
        {
            "editedMessage": {
                "message": {
                    "protocolMessage": {
                        "key": {"id": "3EB0AA"},
                        "type": 14,
                        "editedMessage": {"imageMessage": {"caption": "hello you"}},
                    }
                }
            }
        },
    ],
)
@pytest.mark.parametrize("key", ["message", "Message"])
def test_an_edit_that_comes_as_a_message_is_an_edit(key: str, content: dict[str, Any]) -> None:
    value = message(id=f"false_{CONTACT}_3EB0E2", body=None, _data={key: content})
    got = _normalize(value)
    assert isinstance(got, Edit)
    assert (got.message_id, got.action_id, got.text) == ("3EB0AA", "3EB0E2", "hello you")
    assert (got.sender_id, got.from_me) == (CONTACT, False)


def test_a_revoke_that_comes_as_a_message_is_a_revoke() -> None:
    got = _normalize(sample.REVOKE_AS_MESSAGE)
    assert isinstance(got, Revoke)
    assert (got.message_id, got.action_id, got.chat.chat_id) == ("3EB0BB", "3EB0F2", GROUP)
    assert (got.sender_id, got.from_me) == (CONTACT, False)


def test_an_edit_of_ours_is_ours_although_only_the_payload_says_so() -> None:
    payload = sample.EDIT["payload"] | {"fromMe": True}
    got = _normalize(event("message.edited", payload))
    assert isinstance(got, Edit)
    assert (got.sender_id, got.from_me) == (ME["id"], True)


@pytest.mark.parametrize(
    "payload",
    [
        {"before": {"id": f"false_{CONTACT}_3EB0AA"}, "after": {"id": f"false_{CONTACT}_3EB0AA"}},
        {"before": {"id": f"false_{CONTACT}_3EB0AA"}, "after": {"id": "3EB0AA"}},
        {"before": {"id": f"false_{CONTACT}_3EB0AA"}, "after": None},
        {"after": {"id": f"false_{CONTACT}_3EB0FF"}, "revokedMessageId": "3EB0AA"},
        {
            "after": {"id": f"false_{CONTACT}_3EB0FF"},
            "revokedMessageId": f"false_{CONTACT}_3EB0AA",
        },
    ],
)
def test_a_revoke_with_and_without_the_copy_from_before(payload: dict[str, Any]) -> None:
    got = _normalize(event("message.revoked", payload))
    assert isinstance(got, Revoke)
    assert (got.message_id, got.chat.chat_id) == ("3EB0AA", CONTACT)


def test_the_first_message_of_a_group_may_bring_its_key() -> None:
    content = {"senderKeyDistributionMessage": {"groupId": GROUP}}
    picture = in_group(body=None, _data={"message": content | {"imageMessage": {"url": "u"}}})
    assert _message(picture).text == "[Image]"
    assert isinstance(_normalize(in_group(body="", _data={"message": content})), Ignored)


def test_a_note_to_oneself_may_name_its_direction() -> None:
    got = _message(message(id=f"true_{CONTACT}_3EB0AA_out", fromMe=True))
    assert (got.message_id, got.chat.chat_id) == ("3EB0AA", CONTACT)


def test_a_reaction_never_takes_the_id_of_a_message() -> None:
    got = _normalize(sample.REACTION)
    assert isinstance(got, SystemEvent)
    assert got.message.message_id == "reaction-3EB0DD"


def test_our_own_ids_are_read_in_one_spelling() -> None:
    assert own_ids(message()) == {ME["id"], ME["lid"]}
    me = {"id": "4911110000:3@s.whatsapp.net", "lid": None, "jid": "x@g.us", "pushName": "a"}
    assert own_ids({"me": me}) == {ME["id"]}
    assert own_ids({"me": {"id": "a b@c.us", "lid": 7}}) == own_ids([]) == frozenset()


@pytest.mark.parametrize(
    "value",
    [
        message(body="", _data={"type": "revoked"}),
        message(body="", _data={"type": "ciphertext"}),
        message(body=None, _data={"messageStubType": 2, "key": {}}),
        message(body=None, _data={"message": {"reactionMessage": {"text": "x"}}}),
        event("message.waiting", {"id": f"false_{CONTACT}_3EB0AA"}),
        sample.STATUS | {"timestamp": None},
        event("presence.update", {}),
        event("message", {"id": "false_status@broadcast_AA_1@c.us", "timestamp": AT}),
        message(body=None, _data={"message": {"secretEncryptedMessage": {}}}),
        message(body=None, _data={"message": {"protocolMessage": {"type": 14}}}),
    ],
)
def test_what_is_no_conversation_is_ignored(value: dict[str, Any]) -> None:
    assert isinstance(_normalize(value), Ignored)


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ([], "body"),
        ({}, "event"),
        ({"event": "message"}, "payload"),
        (event("message", {}), "payload.id"),
        (message(id="false_3EB0AA"), "payload.id"),
        (message(id="a_b_c_d_e"), "payload.id"),
        (message(id=f"maybe_{CONTACT}_3EB0AA"), "payload.id"),
        (message(id=f"false_{CONTACT}_3E\x00"), "payload.id"),
        (message(id=f"false_{CONTACT}_{'A' * 400}"), "payload.id"),
        (message(id=7), "payload.id"),
        (message(timestamp="soon"), "payload.timestamp"),
        (message(timestamp=float("nan")), "payload.timestamp"),
        (message(timestamp=10**400), "payload.timestamp"),
        (message(timestamp=-5), "payload.timestamp"),
        (message(body={"a": 1}), "payload.body"),
        (message(replyTo=7), "payload.replyTo"),
        (event("message.revoked", {}), "payload.after.id"),
        (event("group.v2.join", {}), "payload.group"),
    ],
)
def test_malformed(value: object, field: str) -> None:
    with pytest.raises(MalformedPayload) as caught:
        _normalize(value)
    assert caught.value.field == field
    assert "\n" not in str(caught.value)


def test_the_error_never_quotes_the_content() -> None:
    with pytest.raises(MalformedPayload) as caught:
        _normalize(message(body=["my secret"]))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_json(body: bytes) -> None:
    with pytest.raises(MalformedPayload):
        parse_body(body)
