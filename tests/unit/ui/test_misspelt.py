"""A variable that no setting reads is named, with the one that is near."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from ui.cli.misspelt import known_variables, misspelt

ROOT = Path(__file__).resolve().parents[3]


def test_a_slip_is_named_with_the_setting_that_is_near_and_without_its_value() -> None:
    given = {"RECOLLECT_DATABSE_URL": "postgresql://u:s3cret@h/x", "RECOLLECT_MODLE": "m"}
    assert misspelt(given, known_variables()) == [
        "RECOLLECT_DATABSE_URL is no setting: did you mean RECOLLECT_DATABASE_URL?",
        "RECOLLECT_MODLE is no setting: did you mean RECOLLECT_MODEL?",
    ]


def test_what_is_near_nothing_points_to_the_doctor() -> None:
    (line,) = misspelt({"RECOLLECT_XYZZY": "1"}, known_variables())
    assert line == "RECOLLECT_XYZZY is no setting: `recollect doctor` lists all settings."


def test_settings_and_what_is_not_ours_are_silent() -> None:
    known = known_variables()
    settings = dict.fromkeys(known, "x")
    assert misspelt({**settings, "RECOLLECT_TEST_STORES": "servers", "PATH": "/"}, known) == []
    assert misspelt({"recollect_model": "m", "RECOLLECT_DEBUG": "1"}, known) == []


def test_every_command_says_so_on_standard_error_and_help_does_not() -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "ui.cli.main", *arguments],
            cwd=ROOT,
            env={**os.environ, "RECOLLECT_MODLE": "m"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    checked = run("policy", "check", "/no/such/file")
    assert "recollect: RECOLLECT_MODLE is no setting: did you mean RECOLLECT_MODEL?\n" in (
        checked.stderr
    )
    assert checked.stderr.count("RECOLLECT_MODLE") == 1
    assert checked.stdout == ""
    assert run("--help").stderr == ""
    assert run("policy", "check", "--help").stderr == ""
