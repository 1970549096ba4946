"""The `open_loops` suite: is what people still owe each other listed, and nothing else?"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from zoneinfo import ZoneInfo

import numpy as np
from pydantic import BaseModel

from evals.open_loops.cases import LoopTurn, OpenLoopCase
from evals.open_loops.scores import Checked, Listed, score
from evals.suite.case_files import CaseFile, cases_of
from evals.suite.own_cases import own_cases
from evals.suite.requirements import PRODUCT
from evals.suite.run import Failure, ItemId, Outcome, Request, Texts, select
from graph.models import choice as models
from memory.open_loops import AGENT, Model, Said, Tracker, advance, hear, load_model, texts_of
from memory.open_loops.model import DIMENSION
from memory.ports.recall import Embedder

WORDING = "wording"
"""The product without an embedder of the right kind: by words alone."""
SYSTEMS = (PRODUCT, WORDING)
DEFAULT_CASES = own_cases("open_loops")


async def run_open_loops(request: Request, outcome: Outcome) -> None:
    """Read every chat as the product does, one message after the other.

    A chat that fails is listed and skipped, the others go on.

    Raises:
        RecollectError: the embedder or the weights cannot be loaded.
    """
    systems = select(SYSTEMS, request.systems)
    done: dict[str, list[Checked]] = {name: [] for name in systems}
    cases = cases_of(request.files, OpenLoopCase)
    request.progress.expect(len(cases) * len(systems))
    try:
        embedder = await models.embedder(request.settings)
        outcome.embedder = embedder.fingerprint
        for case in cases:
            for name in systems:
                model = load_model("" if name == WORDING else embedder.fingerprint)
                await _guarded(model, embedder, case, name, done[name], outcome)
                request.progress.step(f"open_loops: {name} on {case.case_id}")
    finally:
        for name, checked in done.items():
            outcome.systems[name] = score(checked)


def texts(files: Sequence[CaseFile[BaseModel]]) -> Texts:
    """Return the text at each check, and the texts of the turns."""
    cases = cases_of(files, OpenLoopCase)
    items: dict[ItemId, str] = {}
    sources: dict[ItemId, str] = {}
    for case in cases:
        said = {turn.id: f"{turn.speaker}: {turn.text}" for turn in case.turns}
        for number, check in enumerate(case.checks):
            items[case.case_id, f"{number}:{check.after}"] = said[check.after]
        sources |= {(case.case_id, turn): text for turn, text in said.items()}
    return Texts(items, sources)


async def _guarded(
    model: Model,
    embedder: Embedder,
    case: OpenLoopCase,
    name: str,
    done: list[Checked],
    outcome: Outcome,
) -> None:
    try:
        done += await _read(model, embedder, case)
    # The outer loop of one case: what fails is listed with its reason, never scored as zero.
    except Exception as error:  # noqa: BLE001
        outcome.failed.append(Failure.of(case.case_id, name, error))


async def _read(model: Model, embedder: Embedder, case: OpenLoopCase) -> list[Checked]:
    tracker, checked = Tracker(), []
    for turn in case.turns:
        said = _said(turn, ZoneInfo(case.timezone))
        sentences = texts_of(said)
        vectors = (
            [np.asarray(each, np.float32) for each in await embedder.embed(sentences)]
            if model.reads_vectors
            else [np.zeros(DIMENSION, np.float32)] * len(sentences)
        )
        heard = hear(said, vectors, tracker.before)
        tracker = advance(tracker, heard, model)
        listed = tuple(
            Listed(loop.uid, loop.kind, loop.due.isoformat() if loop.due else None)
            for loop in tracker.loops
        )
        checked += [
            Checked(case, number, listed)
            for number, check in enumerate(case.checks)
            if check.after == turn.id
        ]
    return checked


def _said(turn: LoopTurn, zone: ZoneInfo) -> Said:
    at = turn.timestamp if turn.timestamp.tzinfo else turn.timestamp.replace(tzinfo=UTC)
    speaker = AGENT if turn.role == "assistant" else turn.speaker
    return Said(turn.id, speaker, turn.text, at.astimezone(zone))
