"""ragas' id-based metrics: no model, ids alone. Loaded by `--cross-check` only."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from ragas.dataset_schema import SingleTurnSample
from ragas.metrics._context_precision import IDBasedContextPrecision
from ragas.metrics._context_recall import IDBasedContextRecall

from evals.judges.libraries import quieten


class RagasIds:
    """`IDBasedContextRecall` and `IDBasedContextPrecision` on ids as the suites have them.

    What is called is where a metric computes. Its public wrapper, `single_turn_ascore`, calls the
    same and then keeps an id of the user in the home folder, tracking or not.
    """

    def __init__(self) -> None:
        quieten()
        self._recall = IDBasedContextRecall()
        self._precision = IDBasedContextPrecision()

    async def recall(self, found: Sequence[str], evidence: Collection[str]) -> float | None:
        """Return the share of the evidence that was found, 0..1; None without evidence."""
        sample = _sample(found, evidence)
        return _score(await self._recall._single_turn_ascore(sample, []))  # noqa: SLF001

    async def precision(self, found: Sequence[str], evidence: Collection[str]) -> float | None:
        """Return the share of what was found that is evidence, 0..1; None if nothing was."""
        sample = _sample(found, evidence)
        return _score(await self._precision._single_turn_ascore(sample, []))  # noqa: SLF001


def _sample(found: Sequence[str], evidence: Collection[str]) -> SingleTurnSample:
    return SingleTurnSample(retrieved_context_ids=list(found), reference_context_ids=list(evidence))


def _score(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
