"""What `--cross-check` and `--answers` add to a recall run; without them nothing is loaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evals.errors import BadInputError
from evals.judges.libraries import load
from evals.recall.cases import RecallCase
from evals.recall.cross_check import IdJudge, cross_check
from evals.recall.scores import Answered, score
from evals.suite.requirements import PRODUCT
from evals.suite.run import Outcome, Request, SystemResult
from graph.stores import Stores

if TYPE_CHECKING:  # ragas and deepeval come with it
    from evals.recall.answers import Answering
    from evals.recall.replies import Replying


@dataclass(frozen=True, slots=True)
class Judging:
    """The judges of one run; None where it was not asked for them. `steps`: its progress."""

    ids: IdJudge | None = None
    answering: Answering | Replying | None = None
    steps: int = 0

    async def answer(
        self,
        system: str,
        stores: Stores,
        case: RecallCase,
        answered: list[Answered],
        outcome: Outcome,
    ) -> None:
        """Answer a case's questions, where the system is the product; `answered` gains scores."""
        if self.answering is not None and system == PRODUCT:
            await self.answering.add(stores, case, answered, outcome)

    async def result(
        self,
        system: str,
        answered: Sequence[Answered],
        ingested: int,
        ingest_s: float,
        outcome: Outcome,
    ) -> SystemResult:
        """Return a system's figures, ragas' among them; differences go to `outcome.failed`."""
        details: dict[str, Any] = {}  # Any: JSON
        if self.answering is not None and system == PRODUCT:
            details[self.answering.part] = self.answering.as_json()
        if self.ids is not None:
            checked = await cross_check(answered, self.ids)
            answered = checked.answered
            outcome.failed += checked.failures(system)
            details["cross_check"] = checked.as_json()
        result = score(answered, ingested, ingest_s)
        result.details |= details
        return result


async def open_judging(
    request: Request, systems: Sequence[str], cases: Sequence[RecallCase], outcome: Outcome
) -> Judging:
    """Load what the request's flags ask for, before anything is ingested.

    Raises:
        BadInputError: a library is missing, or there is nothing to judge.
    """
    ids: IdJudge | None = None
    if request.cross_check:
        load("--cross-check", "ragas")
        from evals.judges.ragas_ids import RagasIds

        ids = RagasIds()
    if not request.answers:
        return Judging(ids)
    if PRODUCT not in systems:
        raise BadInputError(f"--answers are the product's: add --system {PRODUCT}")
    questions = [each for case in cases for each in case.questions]
    if request.settings.model is None:
        from evals.recall.replies import Replying

        return Judging(ids, Replying(request), len(questions))
    judged = sum(bool(each.reference) for each in questions)
    return Judging(ids, await _open_answering(request, judged, outcome), judged)


async def _open_answering(request: Request, questions: int, outcome: Outcome) -> Answering:
    if not questions:
        raise BadInputError("--answers: no question of these cases has an answer to judge by")
    from evals.judges.chat import open_judge

    judge = open_judge(request.settings)
    load("--answers", "ragas", "deepeval")
    from evals.recall.answers import Answering, cost

    outcome.model = judge.name
    request.progress.say(cost(questions, judge.name))
    await judge.check()
    return Answering(judge, request)
