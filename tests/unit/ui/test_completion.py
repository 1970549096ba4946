"""A shell completes commands and options by the script that `recollect completion` writes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

HARNESS = """\
eval "$(recollect completion bash)"
COMP_WORDS=(recollect %s) COMP_CWORD=%d
_recollect_completion recollect
printf '%%s\\n' "${COMPREPLY[@]}"
"""


def _completed(typed: str, folder: Path) -> list[str]:
    program = folder / "recollect"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m ui.cli.main "$@"\n')
    program.chmod(0o755)
    done = subprocess.run(
        ["bash", "--norc", "-c", HARNESS % (typed, len(typed.split(" ")))],
        cwd=ROOT,
        env={**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("typed", "fitting"),
    [
        ("cha", {"chat"}),
        ("memory se", {"search"}),
        ("import --date-order ", {"dmy", "mdy", "ymd"}),
        ("chat --cont", {"--contact"}),
    ],
)
def test_bash_completes(typed: str, fitting: set[str], tmp_path: Path) -> None:
    assert set(_completed(typed, tmp_path)) == fitting


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_has_a_script_that_asks_this_program(shell: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ui.cli.main", "completion", shell],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert f"_RECOLLECT_COMPLETE=complete_{shell}" in done.stdout
    if command := shutil.which(shell):
        subprocess.run([command, "-n"], input=done.stdout, text=True, timeout=30, check=True)
