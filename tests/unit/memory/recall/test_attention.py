"""A line is read beside the question: by itself, with those beside it, where pieces fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from memory.domain.recalls import Lexical, Line, TokenMatrix
from memory.minilm.recall import fingerprint
from memory.recall.ranking.attention import NEAR, OWN, READ, Attention, Spot, shipped_attention
from memory.recall.ranking.features import ATTENDED, Pool, Question, Table, with_attention
from memory.recall.ranking.late import Asking
from tests.messages import START

WIDTH = 64


@pytest.fixture
def attention() -> Attention:
    return shipped_attention()


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(7)


def pieces(random: np.random.Generator, count: int) -> bytes:
    """Return so many vectors of length one, as they are stored."""
    rows = random.normal(size=(count, WIDTH))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return (127 * rows).round().astype(np.int8).tobytes()


def asking(random: np.random.Generator, attention: Attention, count: int = 6) -> Asking:
    told = TokenMatrix(pieces(random, count), WIDTH, tuple(range(1, count + 1)))
    found = Asking.of([told], attention.space)
    assert found is not None
    return found


def spots(random: np.random.Generator) -> Iterator[Spot]:
    for own, before, behind in ((9, 4, 4), (1, 0, 0), (OWN, NEAR, NEAR), (200, 60, 60), (0, 3, 0)):
        yield Spot(*(pieces(random, count) for count in (own, before, behind)))


def test_it_fits_the_embedder_that_ships(attention: Attention) -> None:
    assert attention.space == fingerprint()


def test_it_computes_what_was_learnt(attention: Attention, random: np.random.Generator) -> None:
    # By `scripts/attention/network.py`, in JAX, from the weights that ship.
    learnt = [0.3796745, 1.2585840, 0.9581417, 0.9916956, 1.5665904]
    found = attention.scores(asking(random, attention), list(spots(random)))
    assert found == pytest.approx(learnt, abs=1e-4)


def test_a_line_is_read_by_itself(attention: Attention, random: np.random.Generator) -> None:
    asked, read = asking(random, attention), list(spots(random))
    together = attention.scores(asked, read)
    alone = [attention.scores(asked, [spot])[0] for spot in read]
    assert together == pytest.approx(alone, abs=1e-4)
    assert np.isfinite(together).all()


def test_what_stands_beside_it_counts_and_what_is_too_far_does_not(
    attention: Attention, random: np.random.Generator
) -> None:
    asked, own, near = asking(random, attention), pieces(random, OWN), pieces(random, NEAR)
    far = pieces(random, 5)
    alone, beside, longer = attention.scores(
        asked, [Spot(own), Spot(own, near, near), Spot(own, far + near, near + far)]
    )
    assert abs(alone - beside) > 1e-3
    assert beside == pytest.approx(longer, abs=1e-4)


def test_of_a_long_line_the_part_is_read_that_is_like_the_question(
    attention: Attention, random: np.random.Generator
) -> None:
    asked = asking(random, attention)
    answer = asked.vectors.astype(np.int8).tobytes() + pieces(random, OWN - 6)
    filling = np.zeros((50, WIDTH), np.int8).tobytes()
    short, long, cut = attention.scores(
        asked, [Spot(answer), Spot(filling + answer + filling), Spot(filling)]
    )
    assert long == pytest.approx(short, abs=1e-4)
    assert abs(cut - short) > 1e-3


def _table(tokens: list[bytes]) -> tuple[Pool, Table]:
    lines = [
        Line(f"u{n}", "t", n, START + timedelta(minutes=n), "Ana", tokens=each)
        for n, each in enumerate(tokens)
    ]
    return Pool(lines, Lexical(), {}), Table(lines, {})


def test_the_first_lines_are_read_and_stand_above_the_others(
    attention: Attention, random: np.random.Generator
) -> None:
    pool, table = _table([pieces(random, 8) for _ in range(READ + 6)])
    question = Question("which?", START, asking=asking(random, attention))
    scores = random.permutation(READ + 6).astype(np.float32)
    found = with_attention(question, pool, table, scores, attention).columns[ATTENDED]
    first = np.argsort(-scores)[:READ]
    assert np.delete(found, first).tolist() == [0.0] * 6
    assert found[first].min() == 0.0
    assert (found[first] > 0).sum() == READ - 1


@pytest.mark.parametrize("space", ["", "another/64"])
def test_pieces_of_another_space_are_not_read(
    attention: Attention, random: np.random.Generator, space: str
) -> None:
    pool, table = _table([pieces(random, 8) for _ in range(3)])
    other = replace(asking(random, attention), space=space)
    question = Question("which?", START, asking=other)
    found = with_attention(question, pool, table, np.arange(3.0), attention)
    assert found.columns[ATTENDED].tolist() == [0.0, 0.0, 0.0]


def test_where_nothing_is_kept_nothing_is_read(
    attention: Attention, random: np.random.Generator
) -> None:
    pool, table = _table([b"", b""])
    for asked in (None, asking(random, attention)):
        question = Question("which?", START, asking=asked)
        found = with_attention(question, pool, table, np.arange(2.0), attention)
        assert found.columns[ATTENDED].tolist() == [0.0, 0.0]
