"""An excerpt is read once while it is recent, and nothing is left of it when it is to go."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memory.domain.readings import Excerpt, Span
from memory.facts.recent import RecentSpans

pytestmark = pytest.mark.anyio

HOME, NAME = Excerpt("I live in Bern"), Excerpt("Ana", "What is your name?")


class _Whole:
    version, threshold = "whole/1", 0.5

    def __init__(self) -> None:
        self.asked: list[Excerpt] = []

    async def read(self, excerpts: Sequence[Excerpt]) -> list[list[Span]]:
        self.asked += excerpts
        return [[Span(0, len(each.text), "name", "stated", 0.9)] for each in excerpts]


async def test_a_line_before_is_not_read_again_with_each_correction() -> None:
    inner = _Whole()
    recent = RecentSpans(inner)
    first = await recent.read([HOME, NAME, HOME])
    assert [spans[0].end for spans in first] == [14, 3, 14]
    assert await recent.read([NAME, HOME]) == [first[1], first[0]]
    assert inner.asked == [HOME, NAME]
    assert (recent.version, recent.threshold) == ("whole/1", 0.5)


async def test_the_turn_before_makes_another_excerpt() -> None:
    inner = _Whole()
    recent = RecentSpans(inner)
    await recent.read([NAME])
    await recent.read([Excerpt("Ana")])
    assert inner.asked == [NAME, Excerpt("Ana")]


async def test_what_is_cleared_is_read_anew() -> None:
    inner = _Whole()
    recent = RecentSpans(inner)
    await recent.read([HOME])
    recent.clear()
    await recent.read([HOME])
    assert inner.asked == [HOME, HOME]
