"""What the network of attention learns from: pools as arrays, and batches of their questions."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from memory.domain.recalls import Lexical, Line, TokenMatrix
from memory.recall.ranking.attention import NEAR, OWN, READ
from memory.recall.ranking.features import Pool, Question, Table
from memory.recall.ranking.late import Asking
from scripts.attention.batches import QUESTIONS, Batches
from scripts.attention.packed import Pools
from scripts.attention.pools import MOST, WIDTH, Packing
from scripts.fit_recall import Asked
from tests.messages import START

LINES = 200


def tokens(line: int) -> bytes:
    """Return as many pieces as the line's number tells, all of them alike."""
    return np.full((1 + line % 60, WIDTH), line % 127, np.int8).tobytes()


def asked(question: int, evidence: list[int]) -> Asked:
    lines = [
        Line(f"u{n}", "t", n, START + timedelta(minutes=n), "Ana", tokens=tokens(n))
        for n in range(LINES)
    ]
    told = TokenMatrix(np.full((3, WIDTH), question, np.int8).tobytes(), WIDTH, (3.0, 1.0, 2.0))
    asking = Asking.of([told], "space")
    fit = np.arange(LINES, 0, -1, dtype=np.float32)  # The first line fits best.
    table = Table(lines, {"dense": fit, "attended": -9 * fit})
    is_evidence = np.isin(np.arange(LINES), evidence)
    none = np.zeros(LINES, bool)
    pool, wanted = Pool(lines, Lexical(), {}), Question("which?", START, asking=asking)
    return Asked("chat", 0.0, "single", "en", wanted, pool, table, is_evidence, none, none, 1)


@pytest.fixture(scope="module")
def pools() -> Pools:
    packing = Packing()
    packing.add([asked(n, [n, LINES - 1]) for n in range(20)])
    packing.add([asked(99, [])])
    return packing.pools("space")


def test_the_best_lines_and_all_evidence_are_kept(pools: Pools) -> None:
    assert pools.questions == 20
    for start, end in zip(pools.pool_starts[:-1], pools.pool_starts[1:], strict=True):
        assert end - start == MOST + 1
        assert pools.lines[start:end].tolist() == [*range(MOST), LINES - 1]
        assert pools.is_evidence[start:end].sum() == 2
        assert (np.diff(pools.scores[start:end]) < 0).all()


def test_lines_know_what_stands_beside_them(pools: Pools) -> None:
    assert pools.before[:LINES].tolist() == [*range(-1, LINES - 1)]
    assert pools.behind[:LINES].tolist() == [*range(1, LINES), -1]


def test_what_is_written_is_read(pools: Pools, tmp_path: Path) -> None:
    pools.write(tmp_path / "pools.npz")
    read = Pools.read(tmp_path / "pools.npz")
    assert read.space == "space"
    for name in ("pieces", "lines", "scores", "is_evidence", "weights"):
        assert np.array_equal(getattr(read, name), getattr(pools, name))


def test_every_question_comes_once_with_its_evidence_and_its_rivals(pools: Pools) -> None:
    batches = Batches(pools, seed=1)
    seen = []
    for batch in batches.stream(len(batches)):
        assert batch.pieces.shape == (QUESTIONS, READ, OWN + 2 * NEAR, WIDTH)
        assert (batch.is_evidence.sum(1) == 2).all()
        assert batch.is_line.all()
        seen += batch.asked[:, 0, 0].tolist()
    assert len(seen) == len({*seen}) == 16


def test_a_line_stands_with_the_end_of_the_one_before_and_the_beginning_of_the_next(
    pools: Pools,
) -> None:
    batch = next(iter(Batches(pools, seed=1).stream(1)))
    for question, row in zip(*np.nonzero(batch.is_evidence), strict=True):
        own = int(batch.pieces[question, row, 0, 0])
        if own == (LINES - 1) % 127:
            continue
        there = batch.is_there[question, row]
        assert there[:OWN].sum() == min(1 + own % 60, OWN)
        assert there[OWN : OWN + NEAR].sum() == (min(own % 60, NEAR) if own else 0)
        assert batch.pieces[question, row, OWN + NEAR, 0] == own + 1


def test_the_same_seed_draws_the_same(pools: Pools) -> None:
    one, other = (next(iter(Batches(pools, seed=3).stream(1))) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
