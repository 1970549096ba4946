"""What a message is to us is decided when it comes in."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory.domain.chats import Actor, Message
from memory.policy.rules import Policy
from memory.transcript.intake import is_takeover, judge
from tests.messages import message

REFUSED = Policy(from_others="refused")
BLOCKED = Policy(blocked=frozenset({"ana"}))
OWNER = replace(message("/why"), is_owner=True)
PHONE = message("/pause", actor=Actor.OWNER)
IN_GROUP = replace(message("/pause@us", is_group=True, chat="g"), is_owner=True)


@pytest.mark.parametrize(
    ("said", "policy", "is_command", "withheld"),
    [
        (message("hello"), Policy(), False, False),
        (OWNER, Policy(), True, True),
        (OWNER, BLOCKED, True, True),
        (PHONE, Policy(), True, True),
        (replace(PHONE, text="/shrug"), Policy(), False, False),
        (replace(OWNER, text="\u00a0/why"), Policy(), True, True),
        (replace(OWNER, forwarded=True), Policy(), False, False),
        (IN_GROUP, Policy(), False, False),
        (replace(IN_GROUP, mentions_agent=True), Policy(), True, True),
        (message("/why"), Policy(), False, False),
        (message("/why"), REFUSED, True, True),
        (message("/nonsense"), REFUSED, False, False),
        (message("hello"), BLOCKED, False, True),
        (message("/why", actor=Actor.AUTOMATION), REFUSED, False, False),
        (message("buy", actor=Actor.OWNER), BLOCKED, False, False),
    ],
)
def test_judged(said: Message, policy: Policy, is_command: bool, withheld: bool) -> None:
    judged = judge(said, policy)
    assert (judged.is_command, judged.withheld) == (is_command, withheld)


@pytest.mark.parametrize(
    ("said", "policy", "teaches"),
    [
        (message("I'm vegan"), Policy(), True),
        (message("I'm vegan"), Policy(learns_from="owner"), False),
        (replace(message("I'm vegan"), is_owner=True), Policy(learns_from="owner"), True),
    ],
)
def test_whose_words_teach(said: Message, policy: Policy, teaches: bool) -> None:
    judged = judge(said, policy)
    assert (judged.teaches, judged.withheld) == (teaches, False)


def test_a_command_takes_nothing_over() -> None:
    assert is_takeover(judge(message("on my way", actor=Actor.OWNER, sender="us"), Policy()))
    assert not is_takeover(judge(replace(PHONE, sender_id="us"), Policy()))
    assert not is_takeover(
        judge(message("note", actor=Actor.OWNER, chat="me", sender="me"), Policy())
    )
