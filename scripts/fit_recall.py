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
from memory.recall.gathering import embedded, gather
from memory.recall.ranking.features import NEGATIVE, Question, features, style
from memory.recall.ranking.scorer import FILE, LONG_SUFFIX

ROOT = Path(__file__).resolve().parents[1]
RIDGE = 0.1
STEPS = 400
HAND = {"bm25": 2.0, "dense": 2.0, "around": 2.0, "sitting": 0.6, "asks": -1.2}
"""What ranked before anything was fitted: weights are held to it where questions tell nothing."""
FIXED = {"recency": 0.2, "used": 0.05, "asks": -6.0}
"""Set by hand: how recent evidence is, and how often questions come back to it, says more of the
chats than of their questions, and a dozen questions for a thing must not stand before what answers
them."""
HARD = 150
"""Of each pool so many lines are learnt from, beside the evidence: those that look best."""
LOOKS = ("bm25", "dense", "late_window")

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question with its pool: features (lines, features), which lines are evidence."""

    case: str
    style: float
    category: str
    lang: str
    features: Mapping[str, npt.NDArray[np.float32]]
    is_evidence: npt.NDArray[np.bool_]
    evidence: int


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
    given.out.write_text(json.dumps({"weights": weights}, indent=1) + "\n")


async def gathered(cases: Sequence[RecallCase]) -> list[Asked]:
    """Import every case and gather the pool of each of its questions."""
    found = []
    async with workspace(Settings(), Overrides()) as stores:
        for case in cases:
            product = Recollect(stores, case.case_id)
            await product.ingest(case.turns)
            chat = conversation(stores.settings.tenant, case.case_id, case.turns)
            turn_of = {message.uid: message.message_id for message in chat.messages}
            for each in case.questions:
                if not each.evidence:
                    continue
                task = asyncio.create_task(embedded(stores.memory, each.question))
                pool = await gather(
                    stores.memory, chat.scope.tenant, [chat.scope.anchor], [], each.question, task
                )
                question = Question(
                    each.question,
                    chat.asked_at,
                    chat.scope.contact_id,
                    pool.asking,
                    pool.kinds,
                )
                table = features(question, pool.pool)
                turns = [turn_of.get(line.uid, "") for line in table.lines]
                found.append(
                    Asked(
                        case.case_id,
                        style(pool.pool),
                        each.category,
                        case.lang or "en",
                        table.columns,
                        np.isin(turns, each.evidence),
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


def judged(asked: Sequence[Asked], weights: Mapping[str, float], k: int = 10) -> list[float]:
    """Return the share of each question's evidence among the first `k`."""
    names = list(weights)
    values = np.array(list(weights.values()))
    found = []
    for one in asked:
        order = np.argsort(-(matrix(one, names) @ values), kind="stable")[:k]
        found.append(float(one.is_evidence[order].sum() / one.evidence))
    return found


def crossed(asked: Sequence[Asked], names: Sequence[str]) -> list[float]:
    """Return the share of evidence found, each chat under weights fitted on the others."""
    found: list[float] = []
    for case in dict.fromkeys(one.case for one in asked):
        weights = fit([one for one in asked if one.case != case], names)
        found += judged([one for one in asked if one.case == case], weights)
    return found


def report(asked: Sequence[Asked]) -> str:
    """Return the figures, by group, and what each feature is worth."""
    found = crossed(asked, fitted(asked))
    in_pool = [float(one.is_evidence.sum() / one.evidence) for one in asked]
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for index, one in enumerate(asked):
        for group in ("all", one.category, one.lang, "long" if one.style > 0.5 else "short"):
            groups[group].append(index)
    return "\n".join(
        f"{group:12} {len(rows):4}  in pool {np.mean([in_pool[n] for n in rows]):.3f}"
        f"  frac@10 {np.mean([found[n] for n in rows]):.3f}"
        for group, rows in groups.items()
    )


if __name__ == "__main__":
    main()
