"""Baselines on conversations small enough to rank by hand."""

from collections.abc import Sequence

import pytest

from evals.recall.cases import CaseTurn
from evals.systems.baselines import Dense, PlainBm25, Window
from tests.fakes.embedding import WithoutPieces


class Letters(WithoutPieces):
    """Embeds a text as how often it has the letters a and b."""

    fingerprint = "letters/2"
    dimension = 2

    async def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        found: list[tuple[float, ...]] = []
        for text in texts:
            a, b = text.count("a"), text.count("b")
            norm = (a * a + b * b) ** 0.5 or 1.0
            found.append((a / norm, b / norm))
        return found


def turns(*texts: str) -> list[CaseTurn]:
    return [
        CaseTurn(id=str(i), session_id="S", role="user", speaker="A", text=text)
        for i, text in enumerate(texts)
    ]


@pytest.mark.anyio
async def test_window_is_the_last_fifty_turns_newest_first() -> None:
    window = Window()
    await window.ingest(turns(*map(str, range(60))))
    found = await window.search("anything", 5)
    assert found.ids == tuple(str(i) for i in range(59, 9, -1))


@pytest.mark.anyio
async def test_bm25_prefers_rare_words_and_ignores_case() -> None:
    bm25 = PlainBm25()
    await bm25.ingest(turns("the cat", "the Heron", "the dog the dog"))
    found = await bm25.search("THE heron", 2)
    assert found.ids[0] == "1"
    assert len(found.ids) == 2
    # ln(1 + 2.5 / 1.5) for the heron, ln(1 + .5 / 3.5) for the word in all; tf 1, length 2 of 8/3
    norm = 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / (8 / 3)))
    assert found.confidence == pytest.approx((0.980829 + 0.133531) * norm, abs=1e-5)
    assert (await bm25.search("giraffe", 5)).ids == ()


@pytest.mark.anyio
async def test_dense_ranks_by_cosine_and_takes_empty_texts() -> None:
    dense = Dense(Letters())
    await dense.ingest(turns("bbb", "", "aab", "aaa"))
    found = await dense.search("aa", 3)
    assert found.ids == ("3", "2", "0")
    assert found.confidence == pytest.approx(1.0)
