"""What it brings to strengthen what answers used: `python -m tests.benchmarks.decay`.

The questions of each training chat are asked one after the other. The offline responder answers
each from what its prompt shows, and what it used counts for the questions after it, as in turns,
where nobody knows whether it was right; with `--right` only what was. Figures are shares of the
evidence among the first ten and MRR, by the most that uses can add to a score: of questions asked
when nothing was used yet, and of those asked in a row, apart where an earlier answer had used their
evidence.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from langchain_core.messages import HumanMessage

from evals.recall.cases import Question as Asked
from evals.recall.cases import RecallCase, load_cases
from evals.recall.product import Conversation, Recollect, conversation
from evals.suite.workspace import workspace
from evals.systems.system import SHOWN_TURNS
from graph.bootstrap import Overrides
from graph.models.offline import OfflineResponder
from graph.settings import Settings
from graph.stores import Stores
from memory.domain.recalls import Line, Recalled
from memory.recall.breadth import for_prompt, lines_sought
from memory.recall.certainty import certainty_of
from memory.recall.gathering import Gathered, embedded, gather
from memory.recall.passages import remember
from memory.recall.ranking.features import Question
from memory.recall.ranking.order import ranked
from memory.recall.ranking.scorer import Scorer, shipped_scorer
from memory.recall.recall import recall
from memory.recall.underway import Underway
from nodes.prompts import build_prompt
from nodes.use import USED, lines_of, use_of

ROOT: Final = Path(__file__).resolve().parents[2]
BOUNDS: Final = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8)
COUNTED: Final = ("message", "quote", "window")
K: Final = 10
GROUPS: Final = ("all", "again", "new")
"""Of all questions, those whose evidence an earlier answer had used, and the others."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A question with the lines that may answer it, and the facts that its prompt shows."""

    asked: Asked
    gathered: Gathered
    facts: tuple[Recalled, ...]


@dataclass(slots=True)
class Score:
    """The figures of some questions, each counting the same."""

    found: list[float] = field(default_factory=list)
    ranks: list[float] = field(default_factory=list)

    def add(self, turns: Sequence[str], evidence: Sequence[str]) -> None:
        """Count a question whose lines were ranked like this."""
        places = [n for n, turn in enumerate(turns, 1) if turn in evidence]
        self.found.append(sum(n <= K for n in places) / len(evidence))
        self.ranks.append(1 / places[0] if places else 0.0)

    def __str__(self) -> str:
        """Return frac@10, MRR and how many questions there are."""
        n = len(self.found)
        return f"{sum(self.found) / n:.4f}; {sum(self.ranks) / n:.4f} ({n})" if n else "-"


class Asking:
    """The questions of one chat, asked under several bounds."""

    def __init__(
        self, stores: Stores, chat: Conversation, prepared: Sequence[Prepared], *, right: bool
    ) -> None:
        self._stores = stores
        self._chat = chat
        self._prepared = prepared
        self._right = right
        self._turn_of = {each.uid: each.message_id for each in chat.messages}
        self._told: dict[tuple[str, ...], frozenset[str]] = {}

    def fresh(self, score: Score) -> None:
        """Ask each question when nothing was used yet: no bound counts."""
        for each in self._prepared:
            if each.asked.evidence:
                turns = self._turns(self._ranked(each, {}, 0, self._chat.asked_at))
                score.add(turns, each.asked.evidence)

    async def in_a_row(
        self, bound: float, order: Sequence[int], pace: timedelta, scores: Mapping[str, Score]
    ) -> None:
        """Ask the questions in this order, one each `pace`."""
        uses: dict[str, tuple[int, datetime]] = {}
        for place, number in enumerate(order):
            each, now = self._prepared[number], self._chat.asked_at + place * pace
            best = self._ranked(each, uses, bound, now)
            if evidence := each.asked.evidence:
                known = {self._turn_of[uid] for uid in uses}
                group = "again" if known & set(evidence) else "new"
                for name in ("all", group):
                    scores[name].add(self._turns(best), evidence)
            for uid in await self._used(each, best):
                if not self._right or self._turn_of[uid] in evidence:
                    uses[uid] = uses.get(uid, (0, now))[0] + 1, now

    def _ranked(
        self,
        each: Prepared,
        uses: Mapping[str, tuple[int, datetime]],
        bound: float,
        now: datetime,
    ) -> list[Recalled]:
        found = each.gathered
        lines = [_used_before(line, uses) for line in found.pool.lines]
        question = Question(
            each.asked.question, now, self._chat.scope.contact_id, found.asking, found.kinds
        )
        scorer = Scorer({**shipped_scorer().weights, "used": bound})
        return ranked(question, replace(found.pool, lines=lines), len(lines), scorer=scorer)

    def _turns(self, best: Sequence[Recalled]) -> list[str]:
        return [self._turn_of[entry.item_id] for entry in best]

    async def _used(self, each: Prepared, best: Sequence[Recalled]) -> frozenset[str]:
        """Return the messages that the responder's answer uses of what the prompt shows."""
        messages = best[: lines_sought(SHOWN_TURNS)]
        certainty = certainty_of(messages, each.gathered.pool)
        key = (each.asked.id, str(certainty), *(entry.item_id for entry in messages))
        if key not in self._told:
            chosen = [*each.facts, *for_prompt(messages, each.gathered.several, SHOWN_TURNS)]
            budget, scope = self._stores.settings.memory_tokens, self._chat.scope
            remembered = await remember(self._stores.memory, scope, chosen, budget)
            block = replace(remembered.block, certainty=certainty)
            window = [HumanMessage(each.asked.question)]
            reply = await OfflineResponder().ainvoke(build_prompt("", block, window))
            shown = lines_of(remembered, Underway(), window, self._chat.messages[0].chat)
            use = use_of(reply.text, each.asked.question, shown, reply.response_metadata[USED])
            told = frozenset(line.item_id for line in use.lines if line.kind in COUNTED)
            self._told[key] = told
        return self._told[key]


def _used_before(line: Line, uses: Mapping[str, tuple[int, datetime]]) -> Line:
    times, at = uses.get(line.uid, (0, None))
    return line._replace(uses=times, used_at=at)


async def measure(
    cases: Sequence[RecallCase],
    bounds: Sequence[float],
    pace: timedelta,
    seeds: Sequence[int],
    *,
    right: bool,
) -> None:
    """Ask chat by chat; print the figures of all so far behind each."""
    fresh, scores = Score(), {bound: {name: Score() for name in GROUPS} for bound in bounds}
    async with workspace(Settings(), Overrides()) as stores:
        for case in cases:
            asking = await _prepared(stores, case, right=right)
            asking.fresh(fresh)
            print(f"\n{case.case_id}: fresh {fresh}", " | ".join(("bound", *GROUPS)), sep="\n")
            for bound, rows in scores.items():
                for order in _orders(len(case.questions), seeds):
                    await asking.in_a_row(bound, order, pace, rows)
                print(f"{bound:g}", *rows.values(), sep=" | ", flush=True)


async def _prepared(stores: Stores, case: RecallCase, *, right: bool) -> Asking:
    await Recollect(stores, case.case_id).ingest(case.turns)
    chat = conversation(stores.settings.tenant, case.case_id, case.turns)
    memory, scope, prepared = stores.memory, chat.scope, []
    for asked in case.questions:
        embedding = asyncio.create_task(embedded(memory, asked.question))
        found = await gather(memory, scope.tenant, [scope.anchor], [], asked.question, embedding)
        told = await recall(memory, scope, asked.question, chat.asked_at, 1)
        facts = tuple(entry for entry in told.entries if entry.kind == "fact")
        prepared.append(Prepared(asked, found, facts))
    return Asking(stores, chat, prepared, right=right)


def _orders(questions: int, seeds: Sequence[int]) -> Iterator[list[int]]:
    """Yield an order of the questions for each seed."""
    for seed in seeds:
        order = list(range(questions))
        random.Random(seed).shuffle(order)
        yield order


def main() -> None:
    """Ask, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, nargs="*")
    parser.add_argument("--bounds", type=float, nargs="*", default=BOUNDS)
    parser.add_argument("--hours", type=float, default=1.0, help="between two questions")
    parser.add_argument("--seeds", type=int, nargs="*", default=(1,))
    parser.add_argument("--right", action="store_true", help="only evidence counts as used")
    given = parser.parse_args()
    files = given.cases or sorted((ROOT / "datasets/recall/train").glob("*.jsonl"))
    cases = [case for file in load_cases(files) for case in file.cases]
    pace = timedelta(hours=given.hours)
    asyncio.run(measure(cases, given.bounds, pace, given.seeds, right=given.right))


if __name__ == "__main__":
    main()
