"""The latest vectors are kept, the others asked for, and the order is the texts'."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.domain.recalls import Embedded, TokenMatrix
from memory.recall.recent import RecentVectors

pytestmark = pytest.mark.anyio


class _Lengths:
    fingerprint = "lengths/1/none"
    dimension = 1
    token_space = "lengths/pieces"

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        return [each.vector for each in await self.read(texts)]

    async def read(self, texts: Sequence[str]) -> list[Embedded]:
        self.asked += texts
        return [
            Embedded((float(len(text)),), TokenMatrix(text.encode()[:1], 1, (1.0,)))
            for text in texts
        ]


async def test_a_text_is_embedded_once_while_it_is_recent() -> None:
    inner = _Lengths()
    recent = RecentVectors(inner, capacity=2)
    assert await recent.embed(["a", "bb", "a"]) == [(1,), (2,), (1,)]
    await recent.embed(["bb"])
    assert inner.asked == ["a", "bb"]
    await recent.embed(["ccc", "dddd"])
    await recent.embed(["a"])
    assert inner.asked == ["a", "bb", "ccc", "dddd", "a"]


async def test_pieces_come_out_of_the_same_pass() -> None:
    inner = _Lengths()
    recent = RecentVectors(inner)
    await recent.embed(["a", "bb"])
    read = await recent.read(["bb", "a"])
    assert [each.tokens.vectors for each in read if each.tokens] == [b"b", b"a"]
    assert inner.asked == ["a", "bb"]
    assert recent.token_space == "lengths/pieces"


@given(st.lists(st.lists(st.text(max_size=3), max_size=6), max_size=6))
async def test_vectors_are_those_of_the_embedder(batches: list[list[str]]) -> None:
    recent = RecentVectors(_Lengths(), capacity=3)
    for texts in batches:
        assert await recent.embed(texts) == [(float(len(text)),) for text in texts]
