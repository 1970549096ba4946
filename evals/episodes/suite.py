"""The `episodes` suite: does a chat's memory see where a new topic begins?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel

from evals.episodes.cases import Dialogue
from evals.episodes.scores import Segmented, score
from evals.suite.case_files import CaseFile, cases_of
from evals.suite.own_cases import own_cases
from evals.suite.requirements import PRODUCT
from evals.suite.run import Failure, Outcome, Request, Texts, select
from graph.models.choice import topics_embedder
from memory.episodes import Turn, segment
from memory.ports.recall import Embedder
from memory.text.chunks import split_for_embedding

NEVER = "never"
"""A baseline that sees one topic only."""
SYSTEMS = (NEVER, PRODUCT)
DEFAULT_CASES = own_cases("episodes")


async def run_episodes(request: Request, outcome: Outcome) -> None:
    """Segment every dialogue as the product does, one turn after the other.

    A dialogue that fails is listed and skipped, the others go on.

    Raises:
        RecollectError: the embedder cannot be loaded.
    """
    systems = select(SYSTEMS, request.systems)
    done: dict[str, list[Segmented]] = {name: [] for name in systems}
    cases = cases_of(request.files, Dialogue)
    request.progress.expect(len(cases) * len(systems))
    try:
        embedder = await topics_embedder()
        outcome.embedder = embedder.fingerprint
        for case in cases:
            for name in systems:
                await _guarded(embedder, case, name, done[name], outcome)
                request.progress.step(f"episodes: {name} on {case.case_id}")
    finally:
        for name, segmented in done.items():
            outcome.systems[name] = score(segmented)


def texts(files: Sequence[CaseFile[BaseModel]]) -> Texts:
    """Return what a dialogue is about by its first turn, and the texts of the turns."""
    cases = cases_of(files, Dialogue)
    return Texts(
        {(case.case_id, "dialogue"): case.turns[0].text for case in cases},
        {(case.case_id, turn.id): turn.text for case in cases for turn in case.turns},
    )


async def _guarded(
    embedder: Embedder, case: Dialogue, name: str, done: list[Segmented], outcome: Outcome
) -> None:
    try:
        found = () if name == NEVER else await _segment(embedder, case)
    # The outer loop of one case: what fails is listed with its reason, never scored as zero.
    except Exception as error:  # noqa: BLE001
        outcome.failed.append(Failure.of(case.case_id, name, error))
        return
    done.append(Segmented(case, found))


async def _segment(embedder: Embedder, case: Dialogue) -> tuple[int, ...]:
    # A long message is about what its first part says; the rest lies beyond the model's input.
    beginnings = [split_for_embedding(turn.text)[0] for turn in case.turns]
    vectors = await embedder.embed(beginnings)
    turns = [
        Turn(np.asarray(vector, dtype=np.float32), turn.text, turn.timestamp)
        for vector, turn in zip(vectors, case.turns, strict=True)
    ]
    return tuple(segment(turns))
