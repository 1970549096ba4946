"""The `mood` suite: is the mood of a message read right?"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from evals.mood.cases import MoodCase
from evals.mood.scores import Labelled, score
from evals.suite.case_files import CaseFile, cases_of
from evals.suite.own_cases import own_cases
from evals.suite.requirements import PRODUCT
from evals.suite.run import Failure, Outcome, Request, Texts, select
from graph.models import choice
from memory.contacts.mood import MoodReader, load_reader
from memory.contacts.mood.reading import NEUTRAL
from memory.ports.recall import Embedder
from memory.text.chunks import split_for_embedding

NEVER = "neutral"
"""A baseline that sees no mood anywhere."""
SYSTEMS = (NEVER, PRODUCT)
DEFAULT_CASES = own_cases("mood")
_BATCH = 256


async def run_mood(request: Request, outcome: Outcome) -> None:
    """Read every message as the product does.

    A batch of messages that fails is listed and skipped, the others go on.

    Raises:
        RecollectError: the embedder or the weights cannot be loaded.
    """
    reader = load_reader()
    systems = select(SYSTEMS, request.systems)
    done: dict[str, list[Labelled]] = {name: [] for name in systems}
    cases = cases_of(request.files, MoodCase)
    request.progress.expect(len(cases))
    try:
        if NEVER in systems:
            done[NEVER] = [Labelled(case, NEUTRAL, 1.0) for case in cases]
        if PRODUCT in systems:
            embedder = await choice.embedder(request.settings)
            outcome.embedder = embedder.fingerprint
            for start in range(0, len(cases), _BATCH):
                some = cases[start : start + _BATCH]
                await _read(reader, embedder, some, done[PRODUCT], outcome)
                request.progress.step("mood: recollect", len(some))
    finally:
        for name, labelled in done.items():
            outcome.systems[name] = score(labelled)
        if PRODUCT in outcome.systems:
            outcome.systems[PRODUCT].details.update(_origin(reader, request.files))


def texts(files: Sequence[CaseFile[BaseModel]]) -> Texts:
    """Return the texts of the messages."""
    cases = cases_of(files, MoodCase)
    return Texts({(case.id, "message"): case.text for case in cases})


async def _read(
    reader: MoodReader,
    embedder: Embedder,
    cases: Sequence[MoodCase],
    done: list[Labelled],
    outcome: Outcome,
) -> None:
    # A vector of another model says nothing to these weights: they go by words alone then.
    vectors: Sequence[tuple[float, ...] | None] = [None] * len(cases)
    try:
        if embedder.fingerprint == reader.embedder:
            vectors = await embedder.embed([split_for_embedding(case.text)[0] for case in cases])
        moods = [reader.read(case.text, one) for case, one in zip(cases, vectors, strict=True)]
    # The outer loop of one batch: what fails is listed with its reason, never scored as zero.
    except Exception as error:  # noqa: BLE001
        outcome.failed += [Failure.of(case.id, PRODUCT, error) for case in cases]
        return
    done += [
        Labelled(case, mood.label, mood.confidence) for case, mood in zip(cases, moods, strict=True)
    ]


def _origin(reader: MoodReader, files: Sequence[CaseFile[BaseModel]]) -> dict[str, object]:
    seen = [file.path for file in files if file.sha256 == reader.trained_on]
    note = "no case file is the one that the weights were trained on"
    if seen:
        note = f"not held out: the weights were trained on {', '.join(seen)} itself"
    return {"trained_on": reader.trained_on, "held_out": not seen, "note": note}
