"""The `recall` suite: is the evidence for each question among what a memory finds?"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel

from evals.recall.cases import CaseTurn, RecallCase
from evals.recall.judging import Judging, open_judging
from evals.recall.product import Recollect
from evals.recall.scores import Answered, answered_by
from evals.recall.stages import stage_figures, stage_notes
from evals.suite.case_files import CaseFile, cases_of
from evals.suite.requirements import PRODUCT
from evals.suite.run import Failure, Outcome, Request, Texts, select
from evals.suite.workspace import run_folder, workspace
from evals.systems.baselines import BASELINES
from evals.systems.driver import Candidate, Played, Run, candidates, play
from evals.systems.registry import PEERS, demand
from evals.systems.system import ShowsContext, System, shown_tokens
from graph.bootstrap import Overrides
from graph.stores import Stores

SYSTEMS = (*BASELINES, PRODUCT)
RANKED = 50
"""How many turns a search is asked for; what lies beyond counts as not found."""


@dataclass(slots=True)
class _Tally:
    answered: list[Answered] = field(default_factory=list)
    ingested: int = 0
    ingest_s: float = 0.0


async def run_recall(request: Request, outcome: Outcome) -> None:
    """Run every case through every system, one conversation at a time; then adapters, if asked for.

    A case that fails is listed and skipped, the others go on.

    Raises:
        BadInputError: an adapter that was asked for cannot run, or a flag asks for a library, a
            model or answers that are not there.
        RecollectError: the stores cannot be opened.
    """
    systems = select(SYSTEMS, request.systems)
    guests = [name for name in request.systems if name not in SYSTEMS]
    demand([name for name in guests if name in PEERS])
    cases = cases_of(request.files, RecallCase)
    judging = await open_judging(request, systems, cases, outcome)
    steps = sum(len(case.questions) + 1 for case in cases)
    request.progress.expect(steps * (len(systems) + len(guests)) + judging.steps)
    async with run_folder() as folder:
        invited = await candidates(guests, folder)
        if systems:
            await _run_own(request, outcome, systems, cases, judging)
        run = Run(cases, RANKED, request.settings, folder, request.progress, "recall")
        for guest in invited:
            await _run_guest(guest, run, outcome, judging)


async def _run_own(
    request: Request,
    outcome: Outcome,
    systems: Sequence[str],
    cases: Sequence[RecallCase],
    judging: Judging,
) -> None:
    tallies = {name: _Tally() for name in systems}
    try:
        async with workspace(request.settings, Overrides()) as stores:
            outcome.embedder = stores.memory.embedder.fingerprint
            for case in cases:
                for name in systems:
                    await _guarded(
                        request, outcome, _system(name, stores, case), case, name, tallies
                    )
                    await judging.answer(name, stores, case, tallies[name].answered, outcome)
    finally:
        for name, tally in tallies.items():
            outcome.systems[name] = await judging.result(
                name, tally.answered, tally.ingested, tally.ingest_s, outcome
            )
            outcome.systems[name].details["k"] = RANKED
            _tell_stages(name, tally, request, outcome)


def _tell_stages(name: str, tally: _Tally, request: Request, outcome: Outcome) -> None:
    """Say what a model added to a system's searches, where one was asked."""
    figures = stage_figures([one.stages for one in tally.answered])
    if figures:
        outcome.model = request.settings.model
        outcome.systems[name].details["stages"] = figures
        outcome.notes += stage_notes(figures, request.settings.model or "")


async def _run_guest(guest: Candidate, run: Run, outcome: Outcome, judging: Judging) -> None:
    played = Played()
    try:
        await play(guest, run, played)
    finally:
        outcome.systems[guest.name] = await judging.result(
            guest.name, played.answered, played.ingested, played.ingest_s, outcome
        )
        outcome.systems[guest.name].details["k"] = RANKED
        outcome.failed += played.failed
        outcome.embedder = outcome.embedder or played.embedder or ""


def texts(files: Sequence[CaseFile[BaseModel]]) -> Texts:
    """Return the texts of questions and of turns."""
    cases = cases_of(files, RecallCase)
    return Texts(
        {(case.case_id, each.id): each.question for case in cases for each in case.questions},
        {(case.case_id, turn.id): _spoken(turn) for case in cases for turn in case.turns},
    )


def _spoken(turn: CaseTurn) -> str:
    when = f" ({turn.timestamp:%Y-%m-%d %H:%M})" if turn.timestamp else ""
    return f"{turn.speaker or turn.role}{when}: {turn.text}"


async def _guarded(
    request: Request,
    outcome: Outcome,
    make: Callable[[], System],
    case: RecallCase,
    name: str,
    tallies: dict[str, _Tally],
) -> None:
    try:
        tally = await _play(request, make(), case, name)
    # The outer loop of one case: what fails is listed with its reason, never scored as zero.
    except Exception as error:  # noqa: BLE001
        outcome.failed.append(Failure.of(case.case_id, name, error))
        return
    total = tallies[name]
    total.answered += tally.answered
    total.ingested += tally.ingested
    total.ingest_s += tally.ingest_s


async def _play(request: Request, system: System, case: RecallCase, name: str) -> _Tally:
    doing = f"recall: {name} on {case.case_id}"
    started = time.perf_counter()
    await system.ingest(case.turns)
    tally = _Tally([], len(case.turns), time.perf_counter() - started)
    request.progress.step(doing)
    for question in case.questions:
        started = time.perf_counter()
        found = await system.search(question.question, RANKED)
        search_ms = (time.perf_counter() - started) * 1000
        tokens = (
            await system.context_tokens(question.question, found)
            if isinstance(system, ShowsContext)
            else shown_tokens(case.turns, found)
        )
        tally.answered.append(answered_by(case, question, found, search_ms, tokens))
        request.progress.step(doing)
    return tally


def _system(name: str, stores: Stores, case: RecallCase) -> Callable[[], System]:
    if name == PRODUCT:
        return lambda: Recollect(stores, case.case_id)
    return lambda: BASELINES[name](stores.memory.embedder)
