"""What a report says of a model that takes part in searches."""

from __future__ import annotations

import pytest

from evals.recall.stages import stage_figures, stage_notes
from memory.recall.stages import Stage


def test_each_stage_is_told_with_how_often_it_fell_back() -> None:
    searches = [
        [Stage("rewriting", 100.0), Stage("reranking", 900.0, fell_back=True)],
        [Stage("rewriting", 300.0), Stage("reranking", 500.0)],
        [Stage("rewriting", 200.0, fell_back=True)],
        [],
    ]
    figures = stage_figures(searches)
    assert list(figures) == ["rewriting", "reranking"]
    assert (figures["rewriting"]["searches"], figures["rewriting"]["fell_back"]) == (3, 1)
    assert figures["rewriting"]["ms_mean"] == pytest.approx(200.0)
    assert figures["rewriting"]["ms_p50"] == pytest.approx(200.0)
    assert stage_notes(figures, "some-model")[1].startswith(
        "reranking by some-model: 2 searches, 1 fell back, p50 "
    )


def test_without_a_model_nothing_is_told() -> None:
    assert stage_figures([[], []]) == {}
    assert stage_notes({}, "some-model") == []
