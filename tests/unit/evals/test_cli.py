"""The command line: help, and what is refused before anything is ingested."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from evals import cli
from evals.suite.registry import SUITES, Suite
from evals.suite.requirements import parse_requirements
from evals.suite.run import Failure, Outcome, Request, SystemResult

ROOT = Path(__file__).parents[3]
CASES = ROOT / "tests" / "data" / "recall_small.jsonl"


def give(monkeypatch: pytest.MonkeyPatch, frac: float | None, *, fail: bool = False) -> None:
    """Replace the recall suite by one that measures nothing and reports what it is told."""

    async def run(request: Request, outcome: Outcome) -> None:
        del request
        outcome.systems["recollect"] = SystemResult({"frac@10": frac})
        if fail:
            outcome.failed.append(Failure("c1", "recollect", "because"))

    monkeypatch.setitem(SUITES, "recall", Suite("", True, ("recollect",), run))


def test_help_lists_the_suites(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(f"\n  {name} " in shown for name in SUITES)


@pytest.mark.parametrize("name", SUITES)
def test_a_suites_help_tells_of_that_suite_only(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([name, "--help"]) == 0
    shown = capsys.readouterr().out
    assert f"recollect eval {name} [OPTIONS]" in shown
    assert ("--orders" in shown) == (name == "loops")
    assert ("--answers" in shown) == (name == "recall")
    assert ("--sizes" in shown) == (name == "latency")
    assert ("--cases" in shown) == SUITES[name].needs_cases
    assert not any(f"\n  {other} " in shown for other in SUITES)
    assert "--require" in shown


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["recall", "--cases", "nowhere.jsonl"], "nowhere.jsonl: cannot be read"),
        (["recall", "--cases", str(CASES), "--system", "magic"], "knows window, bm25"),
        (["recall", "--cases", str(CASES), "--require", "frac"], "--require 'frac'"),
        (["recall", "--cases", str(CASES), "--json", "/no/such/folder/x"], "does not exist"),
        (["recall", "--cases", str(CASES), "--html", "/no/such/folder/x"], "does not exist"),
        (["recall", "--cases", str(CASES), "--html", "/"], "is a folder"),
        (["recall", "--cases", str(CASES), "--html", "x", "--json", "x"], "the same file"),
        (["latency", "--cases", str(CASES)], "reads no cases"),
        (["recall", "--limit", "0"], "must be at least 1"),
        (["recall", "--cases", "--limit", "1"], "--cases: it needs a value"),
        (["recall", "--seed", "x"], "--seed"),
        (["recall", "--sizes", "0"], "must be at least 1"),
        (["recall", "--own", "5"], "--own is for latency"),
        (["recall", "more"], "more"),
        (["nonsense"], ", compare, report)"),
        ([], "SUITE"),
    ],
)
def test_bad_input_ends_with_2_and_one_line(
    argv: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(argv) == 2
    (error,) = capsys.readouterr().err.splitlines()
    assert said in error


def test_an_option_takes_several_values_at_once_and_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Request] = []

    async def run(request: Request, outcome: Outcome) -> None:
        asked.append(request)
        outcome.systems["recollect"] = SystemResult({"mrr": 0.5, "frac@10": 0.5})

    systems = ("recollect", "bm25", "dense")
    monkeypatch.setitem(SUITES, "recall", Suite("", True, systems, run))
    argv = ["--limit", "1", "recall", "--cases", str(CASES), "--system", "bm25", "dense"]
    argv += ["--require", "mrr>=0.1", "frac@10>=0.1", "--system", "recollect"]
    assert cli.main(argv) == 0
    assert asked[0].systems == ("bm25", "dense", "recollect")
    assert cli.main([*argv, "--require", "mrr>=0.1", "frac@10>=0.9"]) == 1


def test_a_suite_without_cases_of_its_own_asks_for_some(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    absent = replace(SUITES["recall"], own_cases=tmp_path / "absent")
    monkeypatch.setitem(SUITES, "recall", absent)
    assert cli.main(["recall"]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert f"recall needs --cases FILE: no cases of its own in {tmp_path / 'absent'}" in said


def test_requirements_decide_the_exit_status(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    give(monkeypatch, 0.7)
    assert cli.main(["recall", "--cases", str(CASES), "--require", "frac@10>=0.6"]) == 0
    assert cli.main(["recall", "--cases", str(CASES), "--require", "frac@10>=0.8"]) == 1
    assert "off by 0.1" in capsys.readouterr().err


def test_a_failed_case_ends_with_1_and_is_listed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    give(monkeypatch, None, fail=True)
    assert cli.main(["recall", "--cases", str(CASES)]) == 1
    assert "failed: c1 (recollect): because" in capsys.readouterr().out


def test_ctrl_c_keeps_what_was_done_and_marks_it_partial(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    async def run(request: Request, outcome: Outcome) -> None:
        del request
        outcome.systems["recollect"] = SystemResult({"frac@10": 0.25})
        raise KeyboardInterrupt

    monkeypatch.setitem(SUITES, "recall", Suite("", True, ("recollect",), run))
    out = tmp_path / "out.json"
    assert cli.main(["recall", "--cases", str(CASES), "--json", str(out)]) == 130
    assert "partial" in capsys.readouterr().out
    assert '"partial": true' in out.read_text()


def test_a_metric_that_nobody_measured_is_answered_with_those_that_were(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    give(monkeypatch, 0.7)
    assert cli.main(["recall", "--cases", str(CASES), "--require", "magic>=1"]) == 1
    assert "was not measured; recollect has frac@10" in capsys.readouterr().err


def test_what_no_run_could_meet_is_refused_before_it(capsys: pytest.CaptureFixture[str]) -> None:
    for argv, told in (
        (["--require", "frac@1o>=1"], "recall has no frac@1o: it measures questions, "),
        (["--require", "no:mrr>=1"], "no no runs, but "),
        (["--system", "bm25", "--require", "mrr>=1"], "no recollect runs, but bm25"),
    ):
        assert cli.main(["recall", "--cases", str(CASES), *argv]) == 2
        assert told in capsys.readouterr().err


def test_the_gates_own_requirements_can_be_met() -> None:
    makefile = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    held = re.findall(r"^gate-(\w+): REQUIRED := (.*)$", makefile, re.MULTILINE)
    (gates,) = re.findall(r"^GATES := (.*)$", makefile, re.MULTILINE)
    assert [suite for suite, _ in held] == gates.split()
    for suite, rest in held:
        names = SUITES[suite].figures
        assert names is not None
        required = [each.metric for each in parse_requirements(re.findall(r"'([^']+)'", rest))]
        assert required
        assert set(required) <= set(names())


def test_a_run_is_written_as_json_and_as_a_page_and_says_where(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    give(monkeypatch, 0.7)
    out, page = tmp_path / "out.json", tmp_path / "out.html"
    argv = ["recall", "--cases", str(CASES), "--json", str(out), "--html", str(page)]
    assert cli.main(argv) == 0
    assert f"figures: {out}\npage: {page}\n" in capsys.readouterr().out
    written = json.loads(out.read_text())
    assert written["command"].startswith("recollect eval recall --cases ")
    assert {
        "python",
        "platform",
        "processors",
        "langgraph",
        "chromadb",
        "neo4j",
        "onnxruntime",
    } <= (set(written["environment"]))
    assert "0.700" in page.read_text(encoding="utf-8")


def test_interrupted_while_results_are_written_it_says_nothing_more(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    give(monkeypatch, 0.7)
    monkeypatch.setattr(cli, "print_tables", interrupted)
    assert cli.main(["recall", "--cases", str(CASES)]) == 130
    assert capsys.readouterr().err == ""
