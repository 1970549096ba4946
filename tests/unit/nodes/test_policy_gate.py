"""Decisions by policy: who is answered, when, and what one turn takes along."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memory.domain.channels import INGEST
from memory.domain.chats import Actor, Message, StoredMessage
from memory.policy.rules import Pause, Policy
from memory.transcript.intake import judge
from nodes.decisions import MAX_CHATTER, chatter, decide, decide_stored
from nodes.state import Decision, Reason
from tests.messages import START, message

GROUP: dict[str, Any] = {"is_group": True, "chat": "g"}
MENTION = message("hi agent", mentions_agent=True, **GROUP)
CHATTER = message("hi all", **GROUP)
HI = message("hi")
OWNER = replace(message("/why"), is_owner=True)
PHONE = message("/pause", actor=Actor.OWNER)
OFF = Policy(reply_direct="off", reply_group="off")
ALL = Policy(reply_group="all")
MEANT = Policy(reply_direct="mention_only")
BLOCKED = Policy(blocked=frozenset({"ana"}))
ALLOWED = Policy(allowed=frozenset({"bo"}))
REFUSED = Policy(from_others="refused")

TABLE: list[tuple[list[Message], Policy, bool, Decision]] = [
    ([HI], Policy(), False, "respond"),
    ([HI], OFF, False, "observe"),
    ([HI], MEANT, False, "observe"),
    ([replace(HI, replies_to_agent=True)], MEANT, False, "respond"),
    ([message("  ")], Policy(), False, "observe"),
    ([message("  "), HI], Policy(), False, "respond"),
    ([CHATTER], Policy(), False, "observe"),
    ([CHATTER], ALL, False, "respond"),
    ([CHATTER, MENTION], Policy(), False, "respond"),
    ([MENTION], OFF, False, "observe"),
    ([replace(CHATTER, replies_to_agent=True)], Policy(), False, "respond"),
    # Who is answered.
    ([HI], BLOCKED, False, "record"),
    ([MENTION], BLOCKED, False, "record"),
    ([replace(HI, is_owner=True)], BLOCKED, False, "respond"),
    ([HI], Policy(blocked=frozenset({"waha:ana"})), False, "record"),
    ([HI], ALLOWED, False, "observe"),
    ([HI], Policy(allowed=frozenset({"ana"})), False, "respond"),
    ([replace(HI, is_owner=True)], ALLOWED, False, "respond"),
    # Keeping out.
    ([HI], Policy(), True, "observe"),
    ([MENTION], ALL, True, "observe"),
    # Commands.
    ([OWNER], Policy(), False, "command"),
    ([OWNER], OFF, True, "command"),
    ([OWNER], BLOCKED, False, "command"),
    ([HI, OWNER], Policy(), False, "respond"),
    ([replace(HI, is_owner=True), OWNER], Policy(), True, "observe"),
    ([replace(OWNER, text="/nonsense")], Policy(), False, "command"),
    ([replace(OWNER, text="/tmp is full")], Policy(), False, "respond"),
    ([replace(OWNER, text="/start")], Policy(), False, "command"),
    ([replace(OWNER, forwarded=True)], Policy(), False, "respond"),
    ([message("/why")], Policy(), False, "respond"),
    ([message("/why")], REFUSED, False, "command"),
    ([message("/nonsense")], REFUSED, False, "respond"),
    ([message("/why")], replace(BLOCKED, from_others="refused"), False, "record"),
    ([replace(CHATTER, text="/pause", is_owner=True)], Policy(), False, "command"),
    ([replace(CHATTER, text="/pause@us", is_owner=True)], Policy(), False, "observe"),
    ([replace(MENTION, text="/pause@us", is_owner=True)], Policy(), False, "command"),
    ([replace(CHATTER, text="/nonsense", is_owner=True)], ALL, False, "respond"),
    # Our own account.
    ([PHONE], Policy(), False, "command"),
    ([replace(PHONE, text="/shrug")], Policy(), False, "record"),
    ([replace(PHONE, text="/shrug"), PHONE], Policy(), False, "command"),
    ([message("hi", actor=Actor.OWNER)], ALL, False, "record"),
    ([HI, PHONE], ALL, False, "record"),
    ([message("/pause", actor=Actor.AUTOMATION)], ALL, False, "record"),
    ([], ALL, False, "record"),
]


@pytest.mark.parametrize(("said", "policy", "is_paused", "decision"), TABLE)
def test_decision(said: list[Message], policy: Policy, is_paused: bool, decision: Decision) -> None:
    judged = [judge(each, policy) for each in said]
    assert decide(judged, policy, is_paused=is_paused).decision == decision


@pytest.mark.parametrize(
    ("said", "policy", "is_paused", "reason"),
    [
        ([HI], Policy(), False, "every_message"),
        ([MENTION], Policy(), False, "addressed"),
        ([CHATTER], Policy(), False, "not_addressed"),
        ([MENTION], OFF, False, "replies_off"),
        ([HI], BLOCKED, False, "blocked"),
        ([HI], ALLOWED, False, "not_allowed"),
        ([HI], OFF, True, "paused"),
        ([message("  ")], Policy(), False, "empty_text"),
        ([replace(HI, chat=replace(HI.chat, channel=INGEST))], Policy(), False, "silent_channel"),
        ([PHONE], Policy(), False, "command"),
        ([message("hi", actor=Actor.OWNER)], ALL, False, "own_account"),
        ([message("hi", actor=Actor.AUTOMATION)], ALL, False, "own_account"),
    ],
)
def test_every_decision_has_its_reason(
    said: list[Message], policy: Policy, is_paused: bool, reason: Reason
) -> None:
    judged = [judge(each, policy) for each in said]
    assert decide(judged, policy, is_paused=is_paused).reason == reason


def test_direct_messages_are_answered_by_default() -> None:
    assert decide([HI], Policy()).decision == "respond"


def test_a_group_is_answered_only_when_the_agent_is_meant() -> None:
    assert decide([CHATTER], Policy()).decision == "observe"
    assert decide([CHATTER, MENTION], Policy()).decision == "respond"


def test_an_empty_text_is_stored_and_not_answered() -> None:
    assert decide([message("  ")], Policy()).decision == "observe"


def _at(seconds: float, said: Message, seq: int = 1) -> StoredMessage:
    judged = judge(said, Policy())
    return StoredMessage(judged, seq, seq, START + timedelta(seconds=seconds))


PAUSE = Pause("takeover", START + timedelta(seconds=10), START + timedelta(seconds=20))


@pytest.mark.parametrize(
    ("arrived", "now", "decision"),
    [
        (5, 6, "respond"),
        (5, 12, "observe"),  # waiting when the takeover begins
        (10, 11, "observe"),
        (19, 30, "observe"),  # written while paused, looked at afterwards
        (20, 21, "respond"),
    ],
)
def test_what_comes_in_during_a_pause_stays_unanswered(
    arrived: float, now: float, decision: Decision
) -> None:
    at = START + timedelta(seconds=now)
    assert decide_stored([_at(arrived, HI)], Policy(), [PAUSE], at)[0].decision == decision


def test_what_comes_after_a_pause_is_answered_alone() -> None:
    held, later = _at(19, message("held")), _at(21, message("later"))
    now = START + timedelta(seconds=22)
    verdict, texts = decide_stored([held, later], Policy(), [PAUSE], now)
    assert (verdict, [said.text for said in texts]) == (("respond", "every_message"), ["later"])


def test_the_owner_commands_during_a_pause() -> None:
    forever = [Pause("command", START, None)]
    assert decide_stored([_at(5, OWNER)], Policy(), forever, START)[0].decision == "command"


def _chatter(pending: list[StoredMessage], policy: Policy, seconds: float = 60) -> list[str]:
    return chatter(pending, policy, [], START + timedelta(seconds=seconds))


def test_chatter_of_many_is_taken_along_in_order() -> None:
    said = [_at(0, message(f"{n}", sender=f"s{n % 7}", **GROUP), n) for n in range(1, 300)]
    assert _chatter(said, Policy()) == [each.uid for each in said[:MAX_CHATTER]]


def test_whoever_would_be_answered_is_left_alone() -> None:
    bo = [message("one", sender="bo", **GROUP), replace(MENTION, sender_id="bo")]
    eve = message("two", sender="eve", **GROUP)
    owner = replace(message("/pause", sender="boss", **GROUP), is_owner=True)
    spam = message("buy", sender="spam", **GROUP)
    pending = [_at(0, each, seq) for seq, each in enumerate([*bo, eve, owner, spam], 1)]
    assert _chatter(pending, Policy(blocked=frozenset({"spam"}))) == [eve.uid]
    assert _chatter(pending, ALL) == []


def test_who_is_still_writing_is_left_alone() -> None:
    pending = [_at(0, message("one", **GROUP)), _at(9.5, message("two", **GROUP), 2)]
    assert _chatter(pending, Policy(), seconds=10) == []
    assert len(_chatter(pending, Policy(), seconds=10.3)) == 2
