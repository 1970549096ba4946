"""Results that are opened: one with thresholds and texts, two compared, and what is none."""

from __future__ import annotations

import asyncio
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from evals.errors import BadInputError
from evals.reports.changed_items import changed_items
from evals.reports.saved import SavedSystem
from evals.reports.thresholds import thresholds_of
from tests.unit.evals.reports.sample import HOSTILE, full, parsed, result, scores, system
from ui.playground.serving import import_gradio

import_gradio()

from ui.playground.views.evals import Evals, kept, opened_html  # noqa: E402  # gradio comes first

ROOT = Path(__file__).resolve().parents[3]
MOODS = ROOT / "datasets" / "mood" / "own.jsonl"


def saved(folder: Path, name: str, given: Any) -> Path:
    path = folder / name
    path.write_text(given if isinstance(given, str) else json.dumps(given), encoding="utf-8")
    return path


def mood_result(score: float, **more: Any) -> dict[str, Any]:
    first = {"case": "own-frustrated-1", "item": "message", "groups": {}, "evidence": []}
    one = first | {"scores": {"accuracy": score}, "found": []}
    ran = {"file": "/elsewhere", "sha256": sha256(MOODS.read_bytes()).hexdigest()}
    return result(
        {"recollect": {"metrics": {"accuracy": score}, "by": {}, "items": [one]}},
        suite="mood",
        cases=[ran | {"cases": 1, "items": 1}],
        **more,
    )


def test_one_result_shows_figures_thresholds_and_what_is_hostile_as_text(tmp_path: Path) -> None:
    command = "recollect eval recall --require 'frac@10>=0.1' 'mrr>=0.99' --seed 1"
    html = opened_html([saved(tmp_path, "a.json", full() | {"command": command})])
    assert "<h2 class='rc-evals-title'>recall" in html
    assert "21 November 2026" in html
    assert "Recollect 1.2.3" in html
    assert "Partial: it was stopped early" in html
    assert "Met: recollect frac@10 &gt;= 0.1<" in html
    assert "Missed: recollect mrr &gt;= 0.99 (recollect:mrr is" in html
    assert "<td><b>" in html  # the best of a row
    assert "Worst cases, by frac@10" in html
    assert "drop the case files" in html
    assert "1 violations" in html
    assert "1 failed" in html
    assert "<script" not in html
    assert HOSTILE not in html


def test_texts_come_from_the_suites_own_cases_or_from_files_beside_it(tmp_path: Path) -> None:
    html = opened_html([saved(tmp_path, "a.json", mood_result(0.0))])
    assert "This is the third time I explain it" in html
    strange = mood_result(0.0) | {"cases": []}
    alone = saved(tmp_path, "b.json", strange)
    assert "This is the third time" not in opened_html([alone])
    beside = saved(tmp_path, "own.jsonl", MOODS.read_text(encoding="utf-8"))
    assert "This is the third time" in opened_html([alone, beside])


def test_two_results_show_what_changed_by_figure_and_by_case(tmp_path: Path) -> None:
    worse = saved(tmp_path, "new.json", mood_result(0.0, started="2026-11-22T20:00:00+00:00"))
    better = saved(tmp_path, "old.json", mood_result(1.0))
    for files in ([worse, better], [better, worse]):
        html = opened_html(files)
        assert html.index("<b>A</b> <bdi>old.json") < html.index("<b>B</b> <bdi>new.json")
        assert "<td>1</td><td>0</td><td>−1</td>" in html
        assert "<h3>Worse</h3>" in html
        assert "<h3>Better</h3>" not in html
        assert "This is the third time I explain it" in html
        assert "accuracy 1 → 0" in html
    a = saved(tmp_path, "a.json", result({"recollect": system(scores(10, 20, 1))}))
    b = saved(tmp_path, "b.json", result({"recollect": system(scores(10, 20, 1, gain=0.1))}))
    html = opened_html([a, b])
    assert "<td class='rc-evals-better'>better</td>" in html
    assert "Better, the first 20 of" in html
    assert "95 %, paired bootstrap of 10 cases" in html


def test_loops_are_compared_by_case_without_items(tmp_path: Path) -> None:
    def run(name: str, loops: int) -> Path:
        figures = {"loops": loops, "orders": 5}
        by = {"case": {"d-echo": figures, "d-other": {"loops": 0, "orders": 5}}}
        return saved(
            tmp_path, name, result({"recollect": {"metrics": figures, "by": by}}, suite="loops")
        )

    html = opened_html([run("a.json", 0), run("b.json", 2)])
    assert "<caption>By case</caption>" in html
    assert html.count("<bdi>d-echo</bdi>") == 1
    assert "d-other" not in html


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("no json", "a.json: no result of `recollect eval SUITE --json OUT`"),
        ({"schema": 1}, "a.json: no result of"),
        (full() | {"schema": 9}, "a result of schema '9'"),
    ],
)
def test_what_is_no_result_gets_one_sentence(tmp_path: Path, given: Any, sentence: str) -> None:
    bad, good = saved(tmp_path, "a.json", given), saved(tmp_path, "good.json", full())
    view = Evals()
    place, opened, html, close = asyncio.run(view.dropped([str(bad)], []))
    assert (place, opened, close["visible"]) == (None, [], False)
    assert html.startswith("<p class='rc-notice' role='alert'>")
    assert sentence in html.replace("&#x27;", "'")
    assert str(tmp_path) not in html
    assert "\n" not in html
    # What is open stays open.
    _, opened, html, close = asyncio.run(view.dropped([str(bad)], [str(good)]))
    assert (opened, close["visible"]) == ([str(good)], True)
    assert "rc-evals-title" in html


def test_what_cannot_be_shown_together_is_refused(tmp_path: Path) -> None:
    a = saved(tmp_path, "a.json", full())
    with pytest.raises(BadInputError, match="nothing to compare"):
        opened_html([a, saved(tmp_path, "b.json", mood_result(1.0))])
    with pytest.raises(BadInputError, match="3 results at once"):
        opened_html([a, a, a])
    with pytest.raises(BadInputError, match="These are case files"):
        opened_html([Path("x.jsonl")])


def test_the_last_two_results_stay_and_cases_with_them() -> None:
    a, b, c, cases = (Path(name) for name in ("a.json", "b.json", "c.json", "x.jsonl"))
    assert kept([], [a, cases]) == [a, cases]
    assert kept([a, b, cases], [c]) == [b, c, cases]
    assert kept([a], [b, c]) == [b, c]
    assert kept([a], [a, b, c]) == [a, b, c]
    assert kept([a], [cases]) == [a, cases]


def test_items_change_by_what_a_suite_is_judged_by() -> None:
    def of(drawn: dict[tuple[str, int], float]) -> SavedSystem:
        return SavedSystem.model_validate(system(drawn))

    told = changed_items(
        "recall",
        of({("c", 1): 0.5, ("c", 2): 1.0, ("c", 3): 0.2, ("only", 1): 0.0}),
        of({("c", 1): 0.6, ("c", 2): 0.5, ("c", 3): 0.2}),
    )
    assert [(one.item, one.a, one.b) for one in told.better] == [("q1", 0.5, 0.6)]
    assert [(one.item, one.a, one.b) for one in told.worse] == [("q2", 1.0, 0.5)]
    assert told.same == 1


def test_a_command_that_cannot_be_read_has_no_thresholds() -> None:
    for command in ("", "recollect eval recall --require 'unclosed", "x --require nonsense"):
        assert thresholds_of(parsed(full() | {"command": command})) == []
    found = thresholds_of(parsed(full() | {"command": "x --require=mrr>0.9 --seed 3"}))
    assert [(one.metric, one.text) for one in found] == [("mrr", "> 0.9")]
