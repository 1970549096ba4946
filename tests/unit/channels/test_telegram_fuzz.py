"""Whatever comes over the wire, normalising gives a value or MalformedPayload, nothing else."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from channels.errors import MalformedPayload
from channels.inbound import SystemEvent
from channels.telegram.normalize import ANONYMOUS_ADMIN, normalize
from memory.domain.chats import Actor, Message
from tests.spoiled import spoiled
from tests.unit.channels.telegram_updates import (
    ANA,
    ANONYMOUS,
    BOT,
    CHANNEL,
    EVERY_KIND,
    GROUP,
    PRIVATE,
    QUIZ,
    US,
    entity,
)

KEYS = ["id", "is_bot", "type", "from", "chat", "text", "message_id", "date", "sender_chat", "raw"]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(codec=None), max_size=12)
    | st.sampled_from([7001, "7001", 10**300, "private", "channel", "@our_test_bot", "9" * 4000]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner),
    max_leaves=6,
)
USERS = st.sampled_from(
    [ANA, US, QUIZ, ANONYMOUS, QUIZ | {"is_bot": False}, US | {"is_bot": False}]
)
CHATS = st.sampled_from([PRIVATE, GROUP, CHANNEL])
WORDS = st.text(st.characters(codec=None), max_size=20)
ENTITIES = st.lists(
    st.builds(
        entity,
        st.sampled_from(["mention", "text_mention", "bot_command", "bold"]),
        st.integers(0, 40),
        st.integers(0, 40),
        user=USERS,
    ),
    max_size=3,
)
CONTENT = {"message_id": st.integers(0, 2**40), "chat": CHATS, "date": st.integers(0, 2**33)}
MORE: dict[str, st.SearchStrategy[Any]] = {
    "from": USERS,
    "sender_chat": CHATS,
    "text": WORDS,
    "caption": WORDS,
}
MESSAGES = st.fixed_dictionaries(
    CONTENT,
    optional=MORE
    | {
        "entities": ENTITIES,
        "caption_entities": ENTITIES,
        "reply_to_message": st.fixed_dictionaries(CONTENT, optional=MORE),
        "message_thread_id": st.integers(1, 9),
        "is_topic_message": st.booleans(),
        "is_automatic_forward": st.booleans(),
        "via_bot": USERS,
        "photo": st.just([{}]),
        "pinned_message": st.just({}),
        "migrate_to_chat_id": st.integers(-(2**40), 0),
        "edit_date": st.integers(0, 2**33),
    },
)
UPDATES = st.builds(
    lambda number, kind, event: {"update_id": number, kind: event},
    st.integers(0, 2**40),
    st.sampled_from(["message", "edited_message", "channel_post"]),
    MESSAGES,
)


def _check(update: Any) -> None:
    try:
        got = normalize(
            update,
            tenant="t",
            account="7001",
            bot=BOT,
            owner_ids=frozenset({"5001", "7777", "7001"}),
            known_bots=frozenset({"-1009001"}),
        )
    except MalformedPayload as exc:
        assert str(exc).count("\n") == 0
        return
    if isinstance(got, SystemEvent):
        assert got.message.actor is Actor.SYSTEM
    if isinstance(got, Message):
        assert got.uid
        for text in (got.text, got.sender_name, got.message_id, got.contact_id, got.sender_id):
            assert "\x00" not in text
            text.encode()
        _check_actor(got, update["message"])


def _check_actor(got: Message, event: dict[str, Any]) -> None:
    sender, named = event.get("from"), event.get("sender_chat")
    is_ours = sender is not None and sender["id"] == BOT.bot_id
    is_bot = sender is not None and sender["is_bot"]
    is_admin = named is not None and named["id"] == event["chat"]["id"]
    if is_ours:
        assert got.from_me
    is_stand_in = is_admin and sender is not None and sender["id"] == ANONYMOUS_ADMIN
    if is_ours or (is_bot and not is_stand_in):
        assert got.actor is not Actor.CONTACT
    if (named is not None and not is_admin) or event.get("is_automatic_forward"):
        assert got.actor is not Actor.CONTACT
    if got.actor is not Actor.CONTACT:
        assert not got.is_owner
        assert not got.awaits_turn


@settings(max_examples=500, deadline=None)
@given(UPDATES)
def test_well_formed_updates(update: Any) -> None:
    _check(update)


@settings(max_examples=500, deadline=None)
@given(spoiled(EVERY_KIND, JSON))
def test_mutated_updates(update: Any) -> None:
    _check(update)


@settings(max_examples=100, deadline=None)
@given(JSON)
def test_arbitrary_json(value: Any) -> None:
    _check(value)
    _check({"update_id": 1, "message": value})


def test_deep_nesting_is_no_way_in() -> None:
    deep = json.loads("[" * 500 + "]" * 500)
    chain: dict[str, Any] = {"message_id": 1, "chat": GROUP, "date": 1}
    for _ in range(900):
        chain = chain | {"reply_to_message": chain}
    for update in EVERY_KIND:
        _check(update | {"message": deep})
        _check(update | {"message": chain})
        _check(update | {"message": chain | {"text": deep}})
