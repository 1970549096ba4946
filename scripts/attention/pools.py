"""Gather what the network of attention learns from: `python -m scripts.attention.pools OUT`.

Every chat of `talks` and `more_talks` in `datasets/recall` is imported into stores of the product,
and every question asked there. Of each question with evidence the 120 lines are kept that score
best without attention, and all evidence.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from evals.recall.cases import RecallCase, load_cases
from evals.suite.workspace import workspace
from graph.bootstrap import Overrides
from graph.settings import Settings
from memory.recall.ranking.features import ATTENDED
from memory.recall.ranking.late import Asking, rows_of
from memory.recall.ranking.scorer import shipped_scorer
from scripts.attention.packed import Flags, Floats, Ints, Pools
from scripts.fit_recall import Asked, asked_of

ROOT = Path(__file__).resolve().parents[2]
MOST = 120
WIDTH = 64


def main() -> None:
    """Gather, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--cases", type=Path, nargs="*")
    given = parser.parse_args()
    files = given.cases or sorted((ROOT / "datasets/recall").glob("*talks/*.jsonl"))
    cases = [case for file in load_cases(files) for case in file.cases]
    pools = asyncio.run(_gathered(cases))
    pools.write(given.out)
    print(f"{given.out}: {len(cases)} chats, {pools.questions} questions")


async def _gathered(cases: Sequence[RecallCase]) -> Pools:
    packing = Packing()
    async with workspace(Settings(), Overrides()) as stores:
        for number, case in enumerate(cases, start=1):
            packing.add(await asked_of(stores, case))
            print(f"{number} of {len(cases)}: {case.case_id}", flush=True)
        return packing.pools(stores.memory.embedder.token_space)


class Packing:
    """Makes arrays of pools, a chat at a time."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._lines: list[bytes] = []
        self._beside: list[tuple[int, int]] = []
        self._asked: list[Asking] = []
        self._pools: list[tuple[list[int], Floats, Flags]] = []

    def add(self, asked: Sequence[Asked]) -> None:
        """Add the questions of a chat; those whose pool has no evidence teach nothing."""
        first = len(self._lines)
        lines = {line.uid: line for one in asked for line in one.pool.lines}
        ordered = sorted(lines.values(), key=lambda line: (line.thread_id, line.position))
        number = {(line.thread_id, line.position): first + n for n, line in enumerate(ordered)}
        self._lines += [line.tokens for line in ordered]
        for line in ordered:
            at = (number.get((line.thread_id, line.position + step), -1) for step in (-1, 1))
            self._beside.append((next(at), next(at)))
        for one in asked:
            asking = one.question.asking
            if asking is None or not one.is_evidence.any():
                continue
            without = {name: each for name, each in one.features.items() if name != ATTENDED}
            scores = shipped_scorer().scores(without, one.style)
            order = np.argsort(-scores, kind="stable")
            kept = order[(np.arange(len(order)) < MOST) | one.is_evidence[order]]
            chosen = [one.table.lines[n] for n in kept.tolist()]
            places = [number[line.thread_id, line.position] for line in chosen]
            self._asked.append(asking)
            self._pools.append((places, scores[kept].astype(np.float32), one.is_evidence[kept]))

    def pools(self, space: str) -> Pools:
        """Return what was added."""
        beside = np.array(self._beside, np.int64).reshape(-1, 2)
        return Pools(
            pieces=rows_of(b"".join(self._lines), WIDTH),
            line_starts=_starts(len(line) // WIDTH for line in self._lines),
            before=beside[:, 0],
            behind=beside[:, 1],
            asked=np.concatenate([asking.vectors for asking in self._asked]).astype(np.int8),
            weights=np.concatenate([asking.weights for asking in self._asked]),
            asked_starts=_starts(len(asking.weights) for asking in self._asked),
            lines=np.concatenate([np.array(places) for places, *_ in self._pools]),
            scores=np.concatenate([scores for _, scores, _ in self._pools]),
            is_evidence=np.concatenate([truth for *_, truth in self._pools]),
            pool_starts=_starts(len(places) for places, *_ in self._pools),
            space=space,
        )


def _starts(sizes: Iterable[int]) -> Ints:
    return np.cumsum([0, *sizes])


if __name__ == "__main__":
    main()
