"""Fit what ranks lines: `python -m scripts.fit_recall [--cases FILE ...] [--out FILE]`.

Every chat is imported into stores of the product and every question asked there; from the pools
that the product itself gathers a linear score is learnt, listwise, so that evidence stands above
everything else. By default from the chats in `datasets/recall/train`, which are our own. Figures
are those of each chat under weights that were fitted on the others.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evals.recall.cases import RecallCase, load_cases
from evals.recall.product import Recollect, conversation
from evals.suite.workspace import workspace
from graph.bootstrap import Overrides
from graph.settings import Settings
from graph.stores import Stores
from memory.recall.gathering import embedded, gather
from memory.recall.ranking.attention import shipped_attention
from memory.recall.ranking.features import (
    ATTENDED,
    NEGATIVE,
    Pool,
    Question,
    Table,
    features,
    style,
    with_attention,
    with_succession,
)
from memory.recall.ranking.scorer import FILE, LONG_SUFFIX, shipped_scorer
from memory.recall.ranking.succession import FIRST, FOLLOWS, FOLLOWS_NOW

ROOT = Path(__file__).resolve().parents[1]
RIDGE = 0.1
STEPS = 400
HAND = {"bm25": 2.0, "dense": 2.0, "around": 2.0, "sitting": 0.6, "asks": -1.2}
"""What ranked before anything was fitted: weights are held to it where questions tell nothing."""
FIXED = {"recency": 0.2, "used": 0.05, "asks": -6.0, ATTENDED: 0.6}
"""Set by hand: how recent evidence is, and how often questions come back to it, says more of the
chats than of their questions, and a dozen questions for a thing must not stand before what answers
them. What is read beside the question is surer than it should be, and fitted freely it would take
the place of what certainty is told by."""
HARD = 150
"""Of each pool so many lines are learnt from, beside the evidence: those that look best."""
LOOKS = ("bm25", "dense", "late_window")
LATER = (FOLLOWS, FOLLOWS_NOW)
"""Known once each line has a score: fitted on the first lines, the other weights as they are."""
MOST_FOLLOWS = 1.0
"""What `follows` weighs at most: what fits our own chats best puts what came later above what
answers on LoCoMo, which nothing is fitted on (docs/retrieval.md)."""
LATER_RIDGE = 0.02
LATER_STEPS = 40
LATER_STEP = 0.3

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question with its pool: features (lines, features), which lines are evidence.

    `is_current` and `is_stale`: where it asks for what has changed, what is so and what was.
    """

    case: str
    style: float
    category: str
    lang: str
    question: Question
    pool: Pool
    table: Table
    is_evidence: npt.NDArray[np.bool_]
    is_current: npt.NDArray[np.bool_]
    is_stale: npt.NDArray[np.bool_]
    evidence: int

    @property
    def features(self) -> Mapping[str, npt.NDArray[np.float32]]:
        """What each feature is for each line."""
        return self.table.columns


def main() -> None:
    """Gather, fit, print the figures, write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, nargs="*")
    parser.add_argument("--out", type=Path, default=FILE)
    given = parser.parse_args()
    files = given.cases or sorted((ROOT / "datasets/recall/train").glob("*.jsonl"))
    cases = [case for file in load_cases(files) for case in file.cases]
    asked = asyncio.run(gathered(cases))
    print(report(asked))
    weights = fit(asked, fitted(asked)) | FIXED
    weights |= fit_later(asked, weights)
    given.out.write_text(json.dumps({"weights": weights}, indent=1) + "\n")


async def gathered(cases: Sequence[RecallCase]) -> list[Asked]:
    """Import every case and gather the pool of each of its questions."""
    found = []
    async with workspace(Settings(), Overrides()) as stores:
        for case in cases:
            found += await asked_of(stores, case)
    return found


async def asked_of(stores: Stores, case: RecallCase) -> list[Asked]:
    """Import a case and gather the pool of each of its questions that has evidence."""
    product = Recollect(stores, case.case_id)
    await product.ingest(case.turns)
    chat = conversation(stores.settings.tenant, case.case_id, case.turns)
    turn_of = {message.uid: message.message_id for message in chat.messages}
    found = []
    for each in case.questions:
        if not each.evidence:
            continue
        task = asyncio.create_task(embedded(stores.memory, each.question))
        pool = await gather(
            stores.memory, chat.scope.tenant, [chat.scope.anchor], [], each.question, task
        )
        question = Question(
            each.question, chat.asked_at, chat.scope.contact_id, pool.asking, pool.kinds
        )
        table, how = features(question, pool.pool), style(pool.pool)
        first = shipped_scorer().scores(table.columns, how)
        table = with_attention(question, pool.pool, table, first, shipped_attention())
        turns = [turn_of.get(line.uid, "") for line in table.lines]
        found.append(
            Asked(
                case.case_id,
                how,
                each.category,
                case.lang or "en",
                question,
                pool.pool,
                table,
                np.isin(turns, each.evidence),
                np.isin(turns, each.current),
                np.isin(turns, each.stale),
                len(each.evidence),
            )
        )
    return found


def fitted(asked: Sequence[Asked]) -> list[str]:
    """Return the names of the weights that are fitted."""
    return columns(sorted(asked[0].features.keys() - FIXED.keys()))


def columns(names: Sequence[str]) -> list[str]:
    """Return the names of all weights: those of each feature, then what long messages add."""
    return [*names, *(name + LONG_SUFFIX for name in names)]


def matrix(asked: Asked, names: Sequence[str]) -> Floats:
    """Return the features as (lines, weights)."""
    found = []
    for name in names:
        base = name.removesuffix(LONG_SUFFIX)
        values = asked.features[base]
        found.append(values * asked.style if name != base else values)
    return np.stack(found, 1).astype(np.float64)


def fit(asked: Sequence[Asked], names: Sequence[str], ridge: float = RIDGE) -> dict[str, float]:
    """Return weights under which a softmax over each pool prefers the evidence (listwise).

    Adam over all questions at once; each question counts the same.
    """
    tables = [hard(one, names) for one in asked if one.is_evidence.any()]
    scale = np.concatenate([table for table, _ in tables]).std(0) + 1e-6
    sizes = [len(table) for table, _ in tables]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    rows = np.concatenate([table for table, _ in tables]) / scale
    target = np.concatenate([truth / truth.sum() for _, truth in tables])
    group = np.repeat(np.arange(len(sizes)), sizes)
    half = len(names) // 2
    sign = np.array([-1.0 if name in NEGATIVE else 1.0 for name in names[:half]])
    hand = np.array([HAND.get(name, 0.0) for name in names]) * scale
    weights, mean, square = hand, np.zeros(len(names)), np.zeros(len(names))
    for step in range(1, STEPS + 1):
        scores = rows @ weights
        scores -= np.maximum.reduceat(scores, starts)[group]
        chance = np.exp(scores)
        chance /= np.add.reduceat(chance, starts)[group]
        slope = rows.T @ (chance - target) / len(sizes) + 2 * ridge * (weights - hand)
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        rate = 0.05 * min(1.0, 4 * (1 - step / STEPS))
        weights -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        # Of short lines and of long messages alike, what speaks for a line never speaks against it.
        plain = weights / scale
        short = sign * np.maximum(sign * plain[:half], 0)
        long = sign * np.maximum(sign * (short + plain[half:]), 0)
        weights = np.concatenate([short, long - short]) * scale
    return dict(zip(names, np.round(weights / scale, 4).tolist(), strict=True))


def hard(asked: Asked, names: Sequence[str]) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the lines of a pool that are learnt from, and which of them are evidence."""
    looks = np.sum([asked.features[name] for name in LOOKS], axis=0)
    looks[asked.is_evidence] = np.inf
    kept = np.argsort(-looks, kind="stable")[:HARD]
    return matrix(asked, names)[kept], asked.is_evidence[kept]


def scored(asked: Asked, weights: Mapping[str, float]) -> Floats:
    """Return the score of each line, with what came later where that is weighed, too."""
    names = [name for name in weights if name not in LATER]
    scores: Floats = matrix(asked, names) @ np.array([weights[name] for name in names])
    if len(names) == len(weights):
        return scores
    table = with_succession(asked.question, asked.table, scores)
    values = np.array([weights[name] for name in LATER])
    found: Floats = scores + np.stack([table.columns[name] for name in LATER], 1) @ values
    return found


def fit_later(asked: Sequence[Asked], weights: Mapping[str, float]) -> dict[str, float]:
    """Return what it weighs to have come later, where the other weights are these.

    Newton's steps, none of them long, on the first lines of each question, listwise; what speaks
    for a line never speaks against it.
    """
    tables = []
    for one in asked:
        scores = scored(one, weights)
        first = np.argsort(-scores, kind="stable")[:FIRST]
        truth = one.is_evidence[first].astype(np.float64)
        if truth.any():
            found = with_succession(one.question, one.table, scores).columns
            rows = np.stack([found[name][first] for name in LATER], 1).astype(np.float64)
            tables.append((rows, scores[first], truth / truth.sum()))
    scale = np.concatenate([rows for rows, *_ in tables]).std(0) + 1e-6
    later = np.zeros(len(LATER))
    for _ in range(LATER_STEPS):
        slope = 2 * LATER_RIDGE * later
        bend = 2 * LATER_RIDGE * np.eye(len(LATER))
        for rows, scores, truth in tables:
            held = rows / scale
            chance = np.exp(scores + held @ later - (scores + held @ later).max())
            chance /= chance.sum()
            mean = chance @ held
            slope += (chance - truth) @ held / len(tables)
            bend += ((held * chance[:, None]).T @ held - np.outer(mean, mean)) / len(tables)
        step = np.clip(np.linalg.solve(bend, slope), -LATER_STEP, LATER_STEP)
        later = np.maximum(later - step, 0)
    numbers: list[float] = np.round(later / scale, 4).tolist()
    best = dict(zip(LATER, numbers, strict=True))
    return best | {FOLLOWS: min(best[FOLLOWS], MOST_FOLLOWS)}


@dataclass(frozen=True, slots=True)
class Judged:
    """Of one question: the share of its evidence among the first ten, one over the first's place.

    `current`: whether what is so stands above what was; None where nothing has changed.
    """

    found: float
    reciprocal: float
    current: bool | None


def judged(asked: Sequence[Asked], weights: Mapping[str, float], k: int = 10) -> list[Judged]:
    """Return how well each question's evidence is found."""
    found = []
    for one in asked:
        order = np.argsort(-scored(one, weights), kind="stable")
        place = {
            name: int(np.argmax(lines[order])) if lines.any() else len(order)
            for name, lines in (
                ("evidence", one.is_evidence),
                ("current", one.is_current),
                ("stale", one.is_stale),
            )
        }
        is_pair = one.is_current.any() and one.is_stale.any()
        found.append(
            Judged(
                float(one.is_evidence[order[:k]].sum() / one.evidence),
                1 / (place["evidence"] + 1) if one.is_evidence.any() else 0.0,
                place["current"] < place["stale"] if is_pair else None,
            )
        )
    return found


def crossed(asked: Sequence[Asked], names: Sequence[str], *, later: bool = True) -> list[Judged]:
    """Judge each chat under weights that were fitted on the others."""
    found: list[Judged] = []
    for case in dict.fromkeys(one.case for one in asked):
        others = [one for one in asked if one.case != case]
        weights = fit(others, names)
        weights = {name: FIXED[name] for name in FIXED.keys() & asked[0].features.keys()} | weights
        if later:
            weights |= fit_later(others, weights)
        found += judged([one for one in asked if one.case == case], weights)
    return found


def report(asked: Sequence[Asked]) -> str:
    """Return the figures, by group, without and with what came later."""
    before, now = (crossed(asked, fitted(asked), later=later) for later in (False, True))
    in_pool = [float(one.is_evidence.sum() / one.evidence) for one in asked]
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for index, one in enumerate(asked):
        for group in ("all", one.category, one.lang, "long" if one.style > 0.5 else "short"):
            groups[group].append(index)
    return "\n".join(
        f"{group:12} {len(rows):4}  in pool {np.mean([in_pool[n] for n in rows]):.3f}"
        + "".join(f"  {_figures([each[n] for n in rows])}" for each in (before, now))
        for group, rows in groups.items()
    )


def _figures(found: Sequence[Judged]) -> str:
    pairs = [each.current for each in found if each.current is not None]
    current = f"{np.mean(pairs):.3f} of {len(pairs)}" if pairs else "-"
    return (
        f"frac@10 {np.mean([each.found for each in found]):.3f}"
        f" mrr {np.mean([each.reciprocal for each in found]):.3f} current {current}"
    )


if __name__ == "__main__":
    main()
