"""A run as JSON: small, readable, and never a number that is none."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evals.reports.result import Run, write_json
from evals.reports.saved import read_result, saved_of
from evals.suite.progress import Progress
from evals.suite.run import Item, Outcome, Request, SystemResult
from graph.settings import Settings
from memory.errors import RecollectError


def run(result: SystemResult) -> Run:
    request = Request(Settings(), (), (), None, 0, Progress())
    return Run("recall", request, Outcome(systems={"recollect": result}), datetime.now(UTC), 1.0)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    found = ({"id": "t1", "parts": {"score": 1 / 3, "lexical": math.inf}},)
    item = Item("c", "q", {"category": "x"}, {"mrr": 2 / 3}, ("t1",), found)
    given = run(SystemResult({"mrr": math.nan, "frac@10": 0.5}, {}, [item], {"k": 50}))
    path = tmp_path / "out.json"
    write_json(path, given)
    assert read_result(path) == saved_of(given)
    system = json.loads(path.read_text())["systems"]["recollect"]
    assert system["metrics"] == {"mrr": None, "frac@10": 0.5}
    assert system["items"][0]["found"] == [{"id": "t1", "parts": {"score": 0.3333}}]
    assert len(path.read_text().splitlines()) < 60  # an item is one line


def test_a_suites_own_keys_of_a_wrong_shape_are_one_clear_error() -> None:
    with pytest.raises(RecollectError, match=r"no page of this run: .*growth"):
        saved_of(run(SystemResult({}, details={"growth": "much"})))
