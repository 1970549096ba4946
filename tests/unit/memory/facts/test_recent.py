"""A message is read once while it is recent, and nothing is left of it when it is to go."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memory.domain.readings import NOTHING_READ, Earlier, Heard, Reading
from memory.facts.recent import RecentReadings
from tests.messages import message

pytestmark = pytest.mark.anyio

HOME, NAME = Heard(message("I live in Bern")), Heard(message("Ana"), "What is your name?")


class _Counting:
    version = "whole/1"

    def __init__(self) -> None:
        self.asked: list[Heard] = []

    async def read(self, messages: Sequence[Heard]) -> list[Reading]:
        self.asked += messages
        return [Reading((), kinds={heard.message.text: 1.0}) for heard in messages]

    reread = read

    async def close(self) -> None:
        self.asked.append(HOME)


def _texts(read: Sequence[Reading]) -> list[str]:
    return ["".join(reading.kinds) for reading in read]


async def test_a_line_before_is_not_read_again_with_each_correction() -> None:
    inner = _Counting()
    recent = RecentReadings(inner)
    first = await recent.read([HOME, NAME, HOME])
    assert _texts(first) == ["I live in Bern", "Ana", "I live in Bern"]
    assert await recent.reread([NAME, HOME]) == [first[1], first[0]]
    assert inner.asked == [HOME, NAME]
    assert recent.version == "whole/1"


async def test_the_turn_before_makes_another_reading() -> None:
    inner = _Counting()
    recent = RecentReadings(inner)
    await recent.read([NAME])
    await recent.read([Heard(NAME.message)])
    assert inner.asked == [NAME, Heard(NAME.message)]


async def test_what_may_correct_is_read_with_the_lines_before_each_time() -> None:
    inner = _Counting()
    recent = RecentReadings(inner)
    told = Earlier(HOME.message, NOTHING_READ.observations)
    mends = Heard(message("Sorry, I meant Basel"), earlier=(told,))
    read = await recent.read([HOME, mends, NAME])
    assert _texts(read) == ["I live in Bern", "Sorry, I meant Basel", "Ana"]
    await recent.read([mends, HOME])
    assert sorted(heard.message.text for heard in inner.asked) == [
        "Ana",
        "I live in Bern",
        "Sorry, I meant Basel",
        "Sorry, I meant Basel",
    ]


async def test_what_is_cleared_is_read_anew() -> None:
    inner = _Counting()
    recent = RecentReadings(inner)
    await recent.read([HOME])
    recent.clear()
    await recent.read([HOME])
    assert inner.asked == [HOME, HOME]
