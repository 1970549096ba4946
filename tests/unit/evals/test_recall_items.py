"""What a result keeps of each question of the `recall` suite."""

from __future__ import annotations

from evals.recall.cases import Question
from evals.recall.scores import ITEM_SHOWS, Answered, score


def test_ten_hits_are_kept_and_evidence_further_down_with_its_rank() -> None:
    ids = tuple(f"t{n}" for n in range(1, 51))
    question = Question(id="q", question="?", evidence=("t3", "t30", "gone"))
    parts = {"t30": {"score": 0.25}}
    answered = Answered(
        question, ids, ids, frozenset({"t3"}), 0.5, 2.0, 10, case_id="c", parts=parts
    )
    result = score([answered], 50, 1.0)
    (item,) = result.items
    assert [one["id"] for one in item.found[:ITEM_SHOWS]] == list(ids[:ITEM_SHOWS])
    assert item.found[ITEM_SHOWS:] == ({"id": "t30", "parts": {"score": 0.25}, "rank": 30},)
    assert result.details["samples"] == {"search_ms": [2.0]}
