"""ragas' id-based metrics and ours: the same figures for every ranking, or it is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.judges.libraries import quieten
from evals.recall.cases import Question
from evals.recall.cross_check import cross_check
from evals.recall.scores import Answered, score
from evals.suite.metrics import found_fraction, found_precision
from evals.suite.run import Failure

quieten()

from evals.judges.ragas_ids import RagasIds  # noqa: E402

pytestmark = pytest.mark.anyio
IDS = [f"D{session}:{turn}" for session in range(1, 5) for turn in range(1, 7)]


def answered(ids: Sequence[str], evidence: Sequence[str], question_id: str = "q1") -> Answered:
    return Answered(
        question=Question(id=question_id, question="?", evidence=tuple(evidence)),
        ids=tuple(ids),
        sessions=(),
        wanted_sessions=frozenset(),
        confidence=0.0,
        search_ms=1.0,
        context_tokens=0,
        case_id="c1",
    )


@pytest.mark.parametrize(
    ("ids", "evidence", "recall", "precision"),
    [
        (["a", "b", "c"], ["a"], 1.0, 1 / 3),
        (["b", "c"], ["a"], 0.0, 0.0),
        (list("bcdefghijka"), ["a"], 0.0, 0.0),  # the eleventh is not among ten
        (["a"], ["a", "a", "b"], 0.5, 1.0),  # evidence that is named twice counts once
        ([], ["a"], 0.0, None),
    ],
)
async def test_hand_made_rankings_get_the_same_figures(
    ids: list[str], evidence: list[str], recall: float, precision: float | None
) -> None:
    checked = await cross_check([answered(ids, evidence)], RagasIds())
    (one,) = checked.answered
    assert (checked.questions, checked.disagreements) == (1, [])
    assert one.judged == {
        "precision@10": precision,
        "ragas_context_recall@10": recall,
        "ragas_context_precision@10": precision,
    }


@given(
    ids=st.lists(st.sampled_from(IDS), max_size=20, unique=True),
    evidence=st.lists(st.sampled_from(IDS), min_size=1, max_size=8),
    k=st.integers(1, 12),
)
@settings(max_examples=300, deadline=None)
async def test_any_ranking_gets_the_same_figures(
    ids: list[str], evidence: list[str], k: int
) -> None:
    ragas = RagasIds()
    assert await ragas.recall(ids[:k], evidence) == pytest.approx(
        found_fraction(ids, evidence, k), abs=1e-9
    )
    ours = found_precision(ids, evidence, k)
    theirs = await ragas.precision(ids[:k], evidence)
    assert (ours is None and theirs is None) or theirs == pytest.approx(ours, abs=1e-9)


@dataclass
class Liar:
    """Says of everything that half of it was found, and that nothing is to be said of the rest."""

    async def recall(self, found: Sequence[str], evidence: Sequence[str]) -> float | None:
        return 0.5

    async def precision(self, found: Sequence[str], evidence: Sequence[str]) -> float | None:
        return None


async def test_a_difference_is_listed_and_fails_its_case() -> None:
    ids = [f"x{number}" for number in range(9)] + ["b"]
    checked = await cross_check([answered(ids, ["b", "c"], "q7")], Liar())
    assert [(d.metric, d.ours, d.ragas) for d in checked.disagreements] == [
        ("frac@5", 0.0, 0.5),
        ("precision@5", 0.0, None),
        ("precision@10", 0.1, None),
    ]
    assert checked.as_json()["disagreements"][0] == {
        "case": "c1",
        "question": "q7",
        "metric": "frac@5",
        "ours": 0.0,
        "ragas": 0.5,
    }
    assert checked.failures("bm25")[0] == Failure(
        "c1", "bm25", "question q7: frac@5 is 0.0, by ragas 0.5"
    )


async def test_figures_are_means_over_questions_with_evidence_and_stand_in_items() -> None:
    asked = [answered(["a"], ["a"]), answered(["x", "a"], ["a"], "q2"), answered(["a"], [], "q3")]
    checked = await cross_check(asked, RagasIds())
    assert checked.questions == 2
    result = score(checked.answered, 0, 0.0)
    assert result.metrics["precision@10"] == result.metrics["ragas_context_precision@10"] == 0.75
    assert result.by["category"]["all"]["ragas_context_recall@10"] == 1.0
    assert [item.scores.get("ragas_context_precision@10") for item in result.items] == [
        1.0,
        0.5,
        None,
    ]


def test_without_the_flag_the_columns_are_absent() -> None:
    result = score([answered(["a"], ["a"])], 0, 0.0)
    assert not [name for name in result.metrics if "ragas" in name or "precision" in name]
    assert not [name for name in result.items[0].scores if "ragas" in name]
