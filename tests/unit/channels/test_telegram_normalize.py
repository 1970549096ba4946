"""Every shape of Telegram's updates that has been seen, and what it becomes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from channels.errors import MalformedPayload
from channels.inbound import ChatMoved, Edit, Ignored, Inbound, SystemEvent
from channels.telegram.normalize import normalize
from memory.domain.chats import Actor, ChatRef, Message, Quote
from tests.unit.channels import telegram_updates as sample
from tests.unit.channels.telegram_updates import (
    ANONYMOUS,
    AT,
    BOT,
    FORUM,
    GROUP,
    GROUP_ID,
    QUIZ,
    STAND_IN,
    US,
    USER_ID,
    edited,
    entity,
    in_group,
    message,
    replied,
    update,
)

MENTION = "@our_test_bot"


def _normalize(value: object, **known: Any) -> Inbound:
    settings: dict[str, Any] = {"owner_ids": frozenset(), "known_bots": frozenset()} | known
    return normalize(value, tenant="t", account="7001", bot=BOT, **settings)


def _message(value: object, **known: Any) -> Message:
    result = _normalize(value, **known)
    assert isinstance(result, Message)
    return result


def _chat(chat_id: int, topic: str = "") -> ChatRef:
    return ChatRef("t", "telegram", "7001", str(chat_id), topic)


def test_a_private_message() -> None:
    got = _message(message())
    assert got.chat == _chat(USER_ID)
    assert (got.message_id, got.text, got.sender_name) == ("7", "hello", "Ana K")
    assert (got.sender_id, got.contact_id) == ("5001", "telegram:5001")
    assert (got.actor, got.is_group, got.from_me) == (Actor.CONTACT, False, False)
    assert (got.mentions_agent, got.replies_to_agent, got.forwarded) == (False, False, False)
    assert got.sent_at == datetime.fromtimestamp(AT, UTC)


def test_a_group_message() -> None:
    got = _message(in_group())
    assert (got.chat, got.is_group) == (_chat(GROUP_ID), True)
    assert (got.contact_id, got.anchor) == (
        "telegram:5001",
        f"group:telegram:7001:{GROUP_ID}",
    )


def test_one_message_id_in_two_chats_is_two_messages() -> None:
    assert _message(message()).uid != _message(in_group()).uid
    assert _message(message()).uid == _message(message() | {"update_id": 91}).uid


@pytest.mark.parametrize(
    ("fields", "actor", "contact"),
    [
        ({}, Actor.CONTACT, "telegram:5001"),
        ({"from": QUIZ}, Actor.AUTOMATION, ""),
        ({"from": US}, Actor.AUTOMATION, ""),
        ({"via_bot": QUIZ}, Actor.CONTACT, "telegram:5001"),
        ({"from": ANONYMOUS, "sender_chat": GROUP}, Actor.CONTACT, f"telegram:{GROUP_ID}"),
        ({"from": ANONYMOUS}, Actor.AUTOMATION, ""),
        ({"from": QUIZ, "sender_chat": GROUP}, Actor.AUTOMATION, ""),
        ({"from": US, "sender_chat": GROUP}, Actor.AUTOMATION, ""),
        ({"from": US | {"is_bot": False}, "sender_chat": GROUP}, Actor.AUTOMATION, ""),
        ({"from": STAND_IN, "sender_chat": sample.CHANNEL}, Actor.AUTOMATION, ""),
        ({"from": STAND_IN, "is_automatic_forward": True}, Actor.AUTOMATION, ""),
        ({"from": None}, Actor.SYSTEM, ""),
        ({"from": None, "sender_chat": GROUP}, Actor.CONTACT, f"telegram:{GROUP_ID}"),
    ],
)
def test_who_speaks_in_a_group(fields: dict[str, Any], actor: Actor, contact: str) -> None:
    got = _message(in_group(**fields))
    assert (got.actor, got.contact_id) == (actor, contact)
    assert got.awaits_turn == (actor is Actor.CONTACT)


def test_our_own_message_is_marked_as_ours() -> None:
    got = _message(in_group(**{"from": US}))
    assert (got.from_me, got.sender_id) == (True, "7001")


def test_the_owner_is_a_contact_who_may_command() -> None:
    got = _message(message(), owner_ids=frozenset({"5001"}))
    assert (got.actor, got.is_owner) == (Actor.CONTACT, True)
    assert not _message(message(), owner_ids=frozenset({"5002"})).is_owner


def test_a_known_bot_is_no_owner() -> None:
    listed = frozenset({"5001"})
    got = _message(message(), owner_ids=listed, known_bots=listed)
    assert (got.actor, got.is_owner) == (Actor.AUTOMATION, False)


def test_a_bot_listed_as_owner_commands_nothing() -> None:
    got = _message(in_group(**{"from": QUIZ}), owner_ids=frozenset({"7777"}))
    assert (got.actor, got.is_owner) == (Actor.AUTOMATION, False)


@pytest.mark.parametrize(
    ("text", "marked", "expected"),
    [
        (f"{MENTION} hi", [entity("mention", 0, 13)], True),
        ("@Our_Test_BOT hi", [entity("mention", 0, 13)], True),
        (f"👋🏽🎨 {MENTION} hi", [entity("mention", 7, 13)], True),
        (f"👋🏽🎨 {MENTION} hi", [entity("mention", 4, 13)], False),
        (f"{MENTION}_2 hi", [entity("mention", 0, 15)], False),
        (f"{MENTION} hi", [], False),
        ("our_test_bot hi", [], False),
        ("Ours, hi", [entity("text_mention", 0, 4, user=US)], True),
        ("Ben, hi", [entity("text_mention", 0, 3, user=sample.BEN)], False),
        ("Ben, hi", [entity("text_mention", 0, 3)], False),
        (f"/why{MENTION}", [entity("bot_command", 0, 17)], True),
        ("/roll@quiz_bot 2d6", [entity("bot_command", 0, 14)], False),
        ("/report", [entity("bot_command", 0, 7)], False),
        (f"{MENTION} hi", [entity("url", 0, 13)], False),
        ("short", [entity("mention", 400, 13)], False),
        ("\ud83d@our_test_bot", [entity("mention", 1, 13)], True),
    ],
)
def test_mentions_by_utf16_places(
    text: str, marked: list[dict[str, Any]], *, expected: bool
) -> None:
    assert _message(in_group(text=text, entities=marked)).mentions_agent is expected
    captioned = in_group(text=None, caption=text, caption_entities=marked, photo=[{"file_id": "A"}])
    assert _message(captioned).mentions_agent is expected
    # Places in a caption say nothing about a text.
    assert not _message(in_group(text=text, caption_entities=marked)).mentions_agent


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"photo": [{"file_id": "A"}]}, "[Image]"),
        ({"photo": [{"file_id": "A"}], "caption": "look"}, "look"),
        ({"photo": [{"file_id": "A"}], "caption": " "}, "[Image]"),
        ({"voice": {"duration": 1}}, "[Voice Message]"),
        ({"audio": {"duration": 1}}, "[Audio]"),
        ({"video": {}}, "[Video]"),
        ({"video_note": {}}, "[Video]"),
        ({"animation": {}, "document": {}}, "[Animation]"),
        ({"sticker": {}}, "[Sticker]"),
        ({"document": {}}, "[Document]"),
        ({"contact": {}}, "[Contact Card]"),
        ({"location": {}, "venue": {}}, "[Location]"),
        ({"poll": {}}, "[Poll]"),
        ({"dice": {"emoji": "🎲", "value": 4}}, "[Dice]"),
        ({"photo": []}, ""),
        ({"something_new": {}}, ""),
        ({"text": "a\x00b\ud83d"}, "a\ufffdb\ufffd"),
        ({"text": " \n"}, ""),
    ],
)
def test_text_or_placeholder(fields: dict[str, Any], text: str) -> None:
    assert _message(message(**({"text": None} | fields))).text == text


def test_topics_are_chats_of_their_own_and_reply_threads_are_not() -> None:
    topic = _message(in_group(chat=FORUM, message_thread_id=4, is_topic_message=True))
    assert topic.chat == _chat(GROUP_ID, "4")
    assert _message(in_group(message_thread_id=4)).chat == _chat(GROUP_ID)
    assert _message(in_group(is_topic_message=True)).chat == _chat(GROUP_ID)
    assert topic.chat.thread_id != _message(in_group()).chat.thread_id
    assert topic.uid == _message(in_group()).uid


def test_a_reply_to_us_is_quoted() -> None:
    got = _message(in_group(reply_to_message=replied(US)))
    assert (got.replies_to_agent, got.quote) == (True, Quote("6", "before", "7001"))


def test_a_reply_to_another_is_quoted() -> None:
    got = _message(in_group(reply_to_message=replied(text=None, voice={"duration": 2})))
    assert (got.replies_to_agent, got.quote) == (False, Quote("6", "[Voice Message]", "5002"))


def test_the_part_that_a_reply_picks_out_is_the_quote() -> None:
    got = _message(in_group(reply_to_message=replied(), quote={"text": "bef", "position": 0}))
    assert got.quote == Quote("6", "bef", "5002")
    elsewhere = in_group(external_reply={"origin": {}}, quote={"text": "bef", "position": 0})
    assert _message(elsewhere).quote == Quote("", "bef")


def test_a_reply_to_an_anonymous_admin_names_the_group() -> None:
    got = _message(in_group(reply_to_message=replied(ANONYMOUS, sender_chat=GROUP)))
    assert got.quote == Quote("6", "before", str(GROUP_ID))


def test_a_reply_to_a_message_that_we_cannot_see() -> None:
    hidden = {"message_id": 6, "chat": GROUP, "date": 0}
    got = _message(in_group(reply_to_message=hidden))
    assert (got.replies_to_agent, got.quote) == (False, Quote("6", "", ""))


@pytest.mark.parametrize(
    "root",
    [
        replied(US, message_id=4, text="welcome"),
        replied(US, message_id=3, text=None, forum_topic_created={"name": "x"}),
    ],
)
def test_the_root_of_a_topic_is_no_reply_to_us(root: dict[str, Any]) -> None:
    topic = {"chat": FORUM, "message_thread_id": 4, "is_topic_message": True}
    got = _message(in_group(**topic, reply_to_message=root))
    assert (got.replies_to_agent, got.quote) == (False, None)
    assert _message(in_group(**topic, reply_to_message=replied(US))).replies_to_agent


def test_the_first_message_of_a_reply_thread_is_a_reply_to_us() -> None:
    got = _message(in_group(message_thread_id=6, reply_to_message=replied(US)))
    assert got.replies_to_agent


@pytest.mark.parametrize(
    "fields",
    [
        {"forward_origin": {"type": "hidden_user", "sender_user_name": "x", "date": AT}},
        {"forward_date": AT, "forward_from": sample.BEN},
        {"forward_sender_name": "x"},
        {"is_automatic_forward": True},
    ],
)
def test_forwarded_words_are_not_the_senders(fields: dict[str, Any]) -> None:
    assert _message(in_group(**fields)).forwarded


def test_an_edit_names_its_message_and_itself() -> None:
    got = _normalize(edited(message(text="hello!", edit_date=AT + 5)))
    at = datetime.fromtimestamp(AT + 5, UTC)
    assert got == Edit(_chat(USER_ID), "7", "update-90", "hello!", "5001", False, at)


def test_two_edits_of_one_second_are_two() -> None:
    edits = [_normalize(edited(message()) | {"update_id": n}) for n in (1, 2, 2)]
    assert [edit.action_id for edit in edits if isinstance(edit, Edit)] == [
        "update-1",
        "update-2",
        "update-2",
    ]


def test_an_edit_in_a_topic_stays_there() -> None:
    got = _normalize(edited(in_group(chat=FORUM, message_thread_id=4, is_topic_message=True)))
    assert isinstance(got, Edit)
    assert got.chat == _chat(GROUP_ID, "4")


@pytest.mark.parametrize(
    "moved",
    [
        in_group(chat=GROUP | {"id": -21, "type": "group"}, text=None, migrate_to_chat_id=GROUP_ID),
        in_group(**{"from": ANONYMOUS}, sender_chat=GROUP, text=None, migrate_from_chat_id=-21),
    ],
)
def test_both_notices_of_a_migration_say_the_same(moved: dict[str, Any]) -> None:
    assert _normalize(moved) == ChatMoved(_chat(-21), _chat(GROUP_ID))


@pytest.mark.parametrize(
    ("fields", "event", "text"),
    [
        ({"new_chat_members": [US]}, "new_chat_members", "[new chat members]"),
        ({"left_chat_member": QUIZ}, "left_chat_member", "[left chat member]"),
        ({"new_chat_title": "private name"}, "new_chat_title", "[new chat title]"),
        ({"pinned_message": replied()}, "pinned_message", "[pinned message]"),
        ({"group_chat_created": True}, "group_chat_created", "[group chat created]"),
        ({"forum_topic_closed": {}}, "forum_topic_closed", "[forum topic closed]"),
        ({"video_chat_started": {}}, "video_chat_started", "[video chat started]"),
    ],
)
def test_service_messages_are_lines_of_the_channel(
    fields: dict[str, Any], event: str, text: str
) -> None:
    got = _normalize(in_group(text=None, **fields))
    assert isinstance(got, SystemEvent)
    assert (got.event, got.message.text, got.message.message_id) == (event, text, "7")
    assert (got.message.actor, got.message.contact_id) == (Actor.SYSTEM, "")
    assert not got.message.awaits_turn


def test_a_field_that_says_no_is_no_service_message() -> None:
    assert _message(in_group(group_chat_created=False)).text == "hello"


def test_a_reaction_is_a_line_of_the_channel() -> None:
    got = _normalize(sample.REACTION)
    assert isinstance(got, SystemEvent)
    assert (got.message.text, got.message.message_id) == ("[reaction 👍]", "update-90")
    gone = sample.REACTION["message_reaction"] | {"new_reaction": []}
    got = _normalize(update("message_reaction", gone))
    assert isinstance(got, SystemEvent)
    assert got.message.text == "[reaction removed]"


def test_a_change_of_membership_is_a_line_of_the_channel() -> None:
    got = _normalize(sample.MEMBERSHIP)
    assert isinstance(got, SystemEvent)
    assert (got.message.text, got.message.chat) == ("[bot is now kicked]", _chat(GROUP_ID))


@pytest.mark.parametrize("kind", ["channel_post", "message"])
def test_a_post_in_a_channel_is_a_line_of_the_system(kind: str) -> None:
    post = sample.CHANNEL_POST["channel_post"]
    got = _normalize(update(kind, post))
    assert isinstance(got, SystemEvent)
    line = got.message
    channel = ChatRef("t", "telegram", "7001", str(sample.CHANNEL["id"]))
    assert (line.chat, line.message_id, line.text) == (channel, "3", "news")
    assert (line.actor, line.contact_id, line.is_group) == (Actor.SYSTEM, "", True)
    assert not line.awaits_turn
    edit = _normalize(update("edited_channel_post", post | {"edit_date": AT, "text": "old"}))
    assert isinstance(edit, Edit)
    assert (edit.message_id, edit.sender_id, edit.text) == ("3", line.sender_id, "old")


def test_the_bots_place_in_a_channel_is_a_line_of_the_system() -> None:
    change = sample.MEMBERSHIP["my_chat_member"] | {"chat": sample.CHANNEL}
    got = _normalize(update("my_chat_member", change))
    assert isinstance(got, SystemEvent)
    assert got.message.text == "[bot is now kicked]"


@pytest.mark.parametrize(
    "value",
    [
        sample.CALLBACK,
        update("inline_query", {"id": "1"}),
        update("business_message", message()["message"]),
        update("a kind\nof tomorrow", {}),
        edited(message(text=None, location={"live_period": 60})),
        {"update_id": 1},
    ],
)
def test_what_is_no_conversation_is_ignored(value: dict[str, Any]) -> None:
    got = _normalize(value)
    assert isinstance(got, Ignored)
    assert "\n" not in got.reason


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (None, "body"),
        ([], "body"),
        ("text", "body"),
        ({}, "update_id"),
        ({"update_id": "1"}, "update_id"),
        ({"update_id": True}, "update_id"),
        ({"update_id": 2**70}, "update_id"),
        (update("message", None), "message"),
        (update("message", {}), "message.message_id"),
        (message(message_id="7"), "message.message_id"),
        (message(chat=None), "message.chat"),
        (message(chat={"id": 1}), "message.chat.type"),
        (message(chat={"id": 1, "type": "secret"}), "message.chat.type"),
        (message(date=None), "message.date"),
        (message(date=-1), "message.date"),
        (message(date=10**15), "message.date"),
        (message(**{"from": {"first_name": "secret"}}), "message.from.id"),
        (message(**{"from": {"id": 1}}), "message.from.is_bot"),
        (message(**{"from": {"id": 1, "is_bot": "secret"}}), "message.from.is_bot"),
        (message(text={"secret": "secret"}), "message.text"),
        (message(entities=[{"type": "mention", "offset": -1, "length": 1}]), "offset"),
        (message(reply_to_message={"message_id": 1}), "message.reply_to_message.chat"),
        (message(migrate_to_chat_id="secret"), "message.migrate_to_chat_id"),
        (edited(message(date=None)), "edited_message.date"),
        (update("message_reaction", {"chat": GROUP}), "message_reaction.message_id"),
        (update("my_chat_member", {"chat": GROUP}), "my_chat_member.date"),
    ],
)
def test_malformed_updates_name_the_field_and_quote_nothing(value: object, field: str) -> None:
    with pytest.raises(MalformedPayload) as caught:
        _normalize(value)
    assert field in caught.value.field
    assert "secret" not in str(caught.value)


def test_a_field_named_as_ours_is_not_read() -> None:
    forged = in_group(**{"from": None}, sender=sample.ANA)
    assert _message(forged).actor is Actor.SYSTEM
