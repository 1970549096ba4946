"""Whether a WAHA message mentions the agent, and what of its text says so."""

from __future__ import annotations

import pytest

from channels.waha.normalize import normalize
from memory.domain.chats import Message
from tests.unit.channels.waha_events import ME, in_group


def _message(value: object) -> Message:
    nobody = frozenset[str]()
    result = normalize(value, tenant="t", account="main", owner_ids=nobody, known_bots=nobody)
    assert isinstance(result, Message)
    return result


@pytest.mark.parametrize("key", ["mentionedJID", "mentionedJid", "mentioned_jid"])
@pytest.mark.parametrize("me", [ME["id"], ME["lid"], "4911110000@s.whatsapp.net"])
def test_mentions_in_every_spelling(key: str, me: str) -> None:
    data = {"message": {"extendedTextMessage": {"contextInfo": {key: ["1@c.us", me]}}}}
    assert _message(in_group(_data=data)).mentions_agent


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("@{me} /pause", "/pause"),
        ("@{me}, hi", "hi"),
        ("@{me}", "@{me}"),
        ("@4915199999999 hi", "@4915199999999 hi"),
        ("hi @{me}", "hi @{me}"),
    ],
)
def test_our_own_number_before_a_text_is_no_part_of_it(said: str, text: str) -> None:
    me = ME["id"].partition("@")[0]
    data = {"message": {"contextInfo": {"mentionedJid": [ME["id"]]}}}
    got = _message(in_group(body=said.format(me=me), _data=data))
    assert got.text == text.format(me=me)


def test_a_mention_inside_a_quoted_message_is_none() -> None:
    quoted = {"quotedMessage": {"contextInfo": {"mentionedJid": [ME["id"]]}}}
    assert not _message(in_group(_data={"message": quoted})).mentions_agent
