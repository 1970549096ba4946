"""The loops suite for real: a clean product passes, a broken one is seen through."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from multiprocessing.util import get_temp_dir
from pathlib import Path
from typing import Any

import pytest

from evals.cli import main
from evals.loops.cases import load_loop_cases
from evals.loops.suite import DEFAULT_CASES, run_loops
from evals.suite.progress import Progress
from evals.suite.run import Outcome, Request
from graph.settings import Settings

ROOT = Path(__file__).resolve().parents[3]
BROKEN = "tests.integration.evals.broken"
ECHO, TOOL, RESTART = "d-echo-after-noweb", "d-other-tool-webjs", "d-redelivery-after-restart-webjs"
COUNTS = {"loops", "duplicate_replies", "missed_replies", "wrong_rows", "lost_messages"}


def picked(folder: Path, *case_ids: str) -> Path:
    """Write a file with these cases of ours, in this order."""
    lines = {}
    for file in DEFAULT_CASES.glob("*.jsonl"):
        for line in file.read_text(encoding="utf-8").splitlines():
            lines[json.loads(line)["case_id"]] = line
    path = folder / "picked.jsonl"
    path.write_text("\n".join(lines[case_id] for case_id in case_ids) + "\n", encoding="utf-8")
    return path


def leftovers() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob("recollect-eval-*"))


def play_broken(path: Path, how: str) -> Outcome:
    """Play cases against a product that is broken in some way."""
    outcome = Outcome()
    with Progress() as progress:
        files = tuple(load_loop_cases([path]))
        request = Request(Settings(), files, (), None, 0, progress, orders=2)
        asyncio.run(run_loops(request, outcome, f"{BROKEN}:{how}"))
    return outcome


def worlds() -> list[str]:
    return [child.name for child in multiprocessing.active_children()]


@pytest.fixture
def own_temporary_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Where a run's folders go: other tests run at the same time, and have theirs."""
    get_temp_dir()  # multiprocessing's own, which it removes when this process ends
    with tempfile.TemporaryDirectory(prefix="evals-") as folder:
        Path(folder).chmod(0o711)  # as root, Postgres runs as another user
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield


def test_cases_are_played_on_the_real_server_and_nothing_stays_behind(
    tmp_path: Path, own_temporary_folder: None
) -> None:
    out = tmp_path / "out.json"
    cases = picked(tmp_path, ECHO, TOOL, RESTART)
    status = main(["loops", "--cases", str(cases), "--orders", "6", "--json", str(out)])
    result: dict[str, Any] = json.loads(out.read_text())
    assert status == 0
    assert result["failed"] == []
    product = result["systems"]["recollect"]
    assert product["violations"] == []
    assert {name: product["metrics"][name] for name in COUNTS} == dict.fromkeys(COUNTS, 0)
    assert product["metrics"]["orders"] == 7
    assert product["metrics"]["deliveries"] == 2 * 2 + 4 * 4 + 5
    assert set(product["by"]["channel"]) == {"waha"}
    assert set(product["by"]["case"]) == {ECHO, TOOL, RESTART}
    assert product["by"]["tag"]["restart"]["orders"] == 1
    assert leftovers() == set()
    assert worlds() == []


@pytest.mark.parametrize(
    ("how", "case_id", "figure"),
    [
        ("send_twice", ECHO, "duplicate_replies"),
        ("take_machines_for_people", TOOL, "loops"),
        ("send_nothing", ECHO, "missed_replies"),
    ],
)
def test_a_broken_product_is_seen(tmp_path: Path, how: str, case_id: str, figure: str) -> None:
    outcome = play_broken(picked(tmp_path, case_id), how)
    result = outcome.systems["recollect"]
    assert outcome.failed == []
    assert (result.metrics[figure] or 0) >= 2
    assert {one["case"] for one in result.details["violations"]} == {case_id}


def test_a_server_that_dies_is_a_failed_case_and_no_figure(tmp_path: Path) -> None:
    outcome = play_broken(picked(tmp_path, ECHO), "die")
    (failure,) = outcome.failed
    assert failure.case == ECHO
    assert "WorldDied: the server ended with 1: no stores today" in failure.reason
    assert outcome.systems["recollect"].metrics["orders"] == 0


def test_ctrl_c_leaves_no_process_and_marks_the_run_partial(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    argv = ["eval", "loops", "--cases", str(picked(tmp_path, RESTART, ECHO)), "--json", str(out)]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(short_folder())}
    process = subprocess.Popen(
        [sys.executable, "-m", "ui.cli.main", *argv],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        _wait(lambda: any("forkserver" in line for line in alive_in(process.pid)))
        time.sleep(1)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(60) == 130
    finally:
        process.kill()
    assert json.loads(out.read_text())["partial"] is True
    _wait(lambda: alive_in(process.pid) == [])


def alive_in(session: int) -> list[str]:
    """Return the processes of a session that are no zombies."""
    argv = ["ps", "-o", "stat=,args=", "--sid", str(session)]
    lines = subprocess.run(argv, check=False, capture_output=True, text=True).stdout.splitlines()
    return [line for line in lines if not line.startswith("Z")]


def short_folder() -> Path:
    """Return a folder that Postgres may enter when it runs as another user."""
    folder = Path(tempfile.mkdtemp(prefix="recollect-test-"))
    folder.chmod(0o711)
    return folder


def _wait(condition: Callable[[], bool], patience_s: float = 60.0) -> None:
    deadline = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
