"""The latest vectors are kept, the others asked for, and the order is the texts'."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.recent import RecentVectors

pytestmark = pytest.mark.anyio


class _Lengths:
    fingerprint = "lengths/1/none"
    dimension = 1

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        self.asked += texts
        return [(float(len(text)),) for text in texts]


async def test_a_text_is_embedded_once_while_it_is_recent() -> None:
    inner = _Lengths()
    recent = RecentVectors(inner, capacity=2)
    assert await recent.embed(["a", "bb", "a"]) == [(1,), (2,), (1,)]
    await recent.embed(["bb"])
    assert inner.asked == ["a", "bb"]
    await recent.embed(["ccc", "dddd"])
    await recent.embed(["a"])
    assert inner.asked == ["a", "bb", "ccc", "dddd", "a"]


@given(st.lists(st.lists(st.text(max_size=3), max_size=6), max_size=6))
async def test_vectors_are_those_of_the_embedder(batches: list[list[str]]) -> None:
    recent = RecentVectors(_Lengths(), capacity=3)
    for texts in batches:
        assert await recent.embed(texts) == [(float(len(text)),) for text in texts]
