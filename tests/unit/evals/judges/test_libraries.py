"""A missing library is one line; ours are not imported unless they are asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from evals import cli
from evals.errors import BadInputError
from evals.judges.libraries import load

CASES = str(Path(__file__).parents[3] / "data" / "recall_small.jsonl")
ROOT = Path(__file__).parents[4]


def test_an_absent_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ragas", None)
    with pytest.raises(BadInputError) as raised:
        load("--cross-check", "ragas")
    assert str(raised.value) == (
        "--cross-check needs ragas, which is not installed: make setup, or pip install '.[evals]'"
    )


def test_a_library_that_fails_to_import_is_told_from_an_absent_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "half_there.py").write_text("import not_there_at_all\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(BadInputError, match="half_there, which cannot be imported .*not_there"):
        load("--answers", "half_there")


def test_without_ragas_the_flag_ends_with_2_before_any_store_is_opened(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ragas", None)
    assert cli.main(["recall", "--cases", CASES, "--system", "bm25", "--cross-check"]) == 2
    assert "make setup, or pip install '.[evals]'" in capsys.readouterr().err


def test_a_run_without_the_flags_imports_neither_library(tmp_path: Path) -> None:
    script = tmp_path / "run.py"
    script.write_text(
        "import sys\n"
        "from evals.cli import main\n"
        f"status = main(['recall', '--cases', {CASES!r}, '--system', 'bm25'])\n"
        "print(status, sorted({'ragas', 'deepeval', 'openai', 'instructor'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout.splitlines()[-1] == "0 []", done.stderr
