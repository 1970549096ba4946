"""The `summaries` suite: does a summary still hold what matters of an episode?"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from evals.suite.case_files import CaseFile, cases_of
from evals.suite.own_cases import own_cases
from evals.suite.requirements import PRODUCT
from evals.suite.run import Failure, Outcome, Request, Texts, select
from evals.summaries.baselines import BASELINES
from evals.summaries.cases import SummaryCase
from evals.summaries.scores import Summarized, score
from memory.episodes.summaries import MADE_BY, summarize
from memory.episodes.summaries.clauses import word_count

SYSTEMS = (PRODUCT, *BASELINES)
DEFAULT_CASES = own_cases("summaries") / "train"
_NOTE = "not held out: the weights were learnt from {}"


async def run_summaries(request: Request, outcome: Outcome) -> None:
    """Summarize every episode as the product does without a model, and as the baselines do.

    A baseline has as many words as the product's summary of the same episode. An episode that
    fails is listed and skipped, the others go on.
    """
    systems = select(SYSTEMS, request.systems)
    done: dict[str, list[Summarized]] = {name: [] for name in systems}
    cases = cases_of(request.files, SummaryCase)
    request.progress.expect(len(cases))
    try:
        for case in cases:
            try:
                made = _all(case, systems)
            # The outer loop of one case: what fails is listed, never scored as zero.
            except Exception as error:  # noqa: BLE001
                outcome.failed.append(Failure.of(case.episode_id, PRODUCT, error))
                continue
            for name, text in made.items():
                done[name].append(Summarized(case, text))
            request.progress.step(f"summaries: {case.episode_id}")
    finally:
        for name, summarized in done.items():
            outcome.systems[name] = score(summarized)
        if PRODUCT in outcome.systems:
            outcome.systems[PRODUCT].details["made_by"] = MADE_BY
        learnt = [file.path for file in request.files if "train" in file.path]
        if learnt:
            outcome.notes.append(_NOTE.format(", ".join(learnt)))


def texts(files: Sequence[CaseFile[BaseModel]]) -> Texts:
    """Return what an episode begins with, and the texts of its turns."""
    cases = cases_of(files, SummaryCase)
    return Texts(
        {(case.episode_id, "episode"): case.turns[0].text for case in cases},
        {(case.episode_id, turn.id): turn.text for case in cases for turn in case.turns},
    )


def _all(case: SummaryCase, systems: Sequence[str]) -> dict[str, str]:
    said = case.said()
    product = summarize(said).text
    words = word_count(product)
    return {name: product if name == PRODUCT else BASELINES[name](said, words) for name in systems}
