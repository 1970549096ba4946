"""The `facts` suite: is what people say of themselves known, and nothing else?"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from evals.facts.cases import FactCase, FactTurn, Pattern, numbered
from evals.facts.conversation import Played, play
from evals.facts.scores import score
from evals.suite.case_files import CaseFile, cases_of
from evals.suite.own_cases import own_cases
from evals.suite.requirements import PRODUCT
from evals.suite.run import Failure, Outcome, Request, Texts
from evals.suite.workspace import workspace
from graph.bootstrap import Overrides
from graph.stores import Stores

SYSTEMS = (PRODUCT,)
DEFAULT_CASES = own_cases("facts")


async def run_facts(request: Request, outcome: Outcome) -> None:
    """Play every case on stores of the run's own.

    A case that fails is listed and skipped, the others go on.

    Raises:
        RecollectError: the stores cannot be opened.
    """
    cases = cases_of(request.files, FactCase)
    request.progress.expect(len(cases))
    played: list[Played] = []
    try:
        async with workspace(request.settings, Overrides()) as stores:
            outcome.embedder = stores.memory.embedder.fingerprint
            for case in cases:
                await _guarded(stores, case, played, outcome)
                request.progress.step(f"facts: {case.case_id}")
    finally:
        outcome.systems[PRODUCT] = score(played)


async def _guarded(stores: Stores, case: FactCase, played: list[Played], outcome: Outcome) -> None:
    try:
        played.append(await play(stores, case))
    # The outer loop of one case: what fails is listed with its reason, never scored as zero.
    except Exception as error:  # noqa: BLE001
        outcome.failed.append(Failure.of(case.case_id, PRODUCT, error))


def texts(files: Sequence[CaseFile[BaseModel]]) -> Texts:
    """Return what patterns ask for, and what was said in each turn."""
    cases = cases_of(files, FactCase)
    asked = {
        (case.case_id, name): _asked(name, pattern)
        for case in cases
        for name, pattern in numbered(case)
    }
    said = {(case.case_id, turn.id): _said(turn) for case in cases for turn in case.turns}
    return Texts(asked, asked | said)


def _asked(name: str, pattern: Pattern) -> str:
    kind = name.partition("/")[2].partition(":")[0]
    whose = f" of {pattern.contact}" if pattern.contact else ""
    return f"{kind}{whose}: {pattern.category}/{pattern.key} = {' | '.join(pattern.forms)}"


def _said(turn: FactTurn) -> str:
    when = f" ({turn.timestamp:%Y-%m-%d %H:%M})" if turn.timestamp else ""
    passed_on = ", forwarded" if turn.forwarded else ""
    return f"{turn.speaker or turn.role}{when}{passed_on}: {turn.text}"
