"""`compare` and `report` on the command line: what they print, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evals import cli
from tests.unit.evals.reports.sample import full, result, scores, system

CASES = Path(__file__).parents[3] / "data" / "recall_small.jsonl"


def saved(folder: Path, name: str, given: Any) -> str:
    path = folder / name
    path.write_text(json.dumps(given), encoding="utf-8")
    return str(path)


@pytest.fixture
def a(tmp_path: Path) -> str:
    return saved(tmp_path, "a.json", result({"recollect": system(scores(10, 20, 1))}))


@pytest.fixture
def b(tmp_path: Path) -> str:
    better = system(scores(10, 20, 1, gain=0.1))
    return saved(
        tmp_path, "b.json", result({"recollect": better, "bm25": system(scores(10, 20, 5))})
    )


def test_compare_says_what_changed_and_by_how_much(
    a: str, b: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "c.json"
    assert cli.main(["compare", a, b, "--json", str(out), "--seed", "7"]) == 0
    shown = capsys.readouterr()
    assert "paired bootstrap of 10 cases, 2,000 samples, seed 7" in shown.out
    assert shown.err == ""
    written = json.loads(out.read_text())
    change = written["metrics"]["frac@10"]
    assert change["verdict"] == "better"
    assert change["interval"]["low"] <= change["difference"] <= change["interval"]["high"]
    assert set(written["by"]["category"]) == {"single", "multi", "hostile & <b>"}
    assert written["items"] == {"both": 200, "only_a": 0, "only_b": 0}


def test_compare_takes_other_systems_and_single_metrics(
    b: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["compare", b, b, "--system", "bm25:recollect", "--metric", "mrr"]) == 0
    shown = capsys.readouterr().out
    assert "bm25 (A) and recollect (B)" in shown
    assert "mrr by category" in shown
    assert "frac@10" not in shown


def test_compare_warns_of_what_makes_runs_unlike(
    a: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = [{"file": "x", "sha256": "cd" * 32, "cases": 1, "items": 1}]
    product = system(scores(10, 20, 1), k=10)
    other = result({"recollect": product}, cases=cases, embedder="e/1", partial=True)
    assert cli.main(["compare", a, saved(tmp_path, "o.json", other)]) == 0
    warned = capsys.readouterr().err
    for words in (
        "the case files differ",
        "the embedders differ (tiny/3/l2 and e/1)",
        "B is partial",
    ):
        assert f"warning: {words}" in warned


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{not json", "no result of `recollect eval SUITE --json OUT`"),
        ("[]", "no result of"),
        ('{"suite": "recall", "systems": {}}', "no result of"),
        ('{"schema": 2, "suite": "recall", "systems": {}}', "a result of schema '2'"),
        ('{"schema": 1, "suite": "mood", "systems": {}}', "nothing to compare"),
        ('{"schema": 1, "suite": "recall", "systems": {}}', "in both: none"),
        ('{"schema": 1, "suite": "recall", "systems": {"x": {"metrics": {"m": NaN}}}}', "finite"),
        ('{"schema": 1, "suite": "recall", "systems": {"x": {"metrics": {"m": "1 GB"}}}}', "m"),
        ("", "no result of"),
    ],
)
def test_what_is_no_such_result_is_refused(
    content: str, said: str, a: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text(content)
    assert cli.main(["compare", a, str(broken)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        (["--system", "magic"], "'magic' is none of recollect"),
        (["--system", "recollect:magic"], "is none of recollect, bm25"),
        (["--metric", "magic"], "both have frac@10, mrr"),
        (["--samples", "3"], "between 1,000 and 100,000"),
        (["--json", "/no/such/folder/x"], "does not exist"),
    ],
)
def test_bad_options_of_compare_name_what_is_known(
    extra: list[str], said: str, a: str, b: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["compare", a, b, *extra]) == 2
    assert said in capsys.readouterr().err


def test_each_command_has_a_help_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    for command in cli.COMMANDS:
        assert cli.main([command, "--help"]) == 0
        assert f"recollect eval {command}" in capsys.readouterr().out


def test_a_saved_result_becomes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given, page = saved(tmp_path, "full.json", full()), tmp_path / "page.html"
    assert cli.main(["report", given, "--html", str(page)]) == 0
    assert "Worst cases" in page.read_text(encoding="utf-8")
    assert cli.main(["report", given, "--html", str(page), "--cases", str(CASES)]) == 0
    assert "are not those that ran" in capsys.readouterr().err
    assert cli.main(["report", given, "--html", str(tmp_path)]) == 2
    assert "is a folder" in capsys.readouterr().err
