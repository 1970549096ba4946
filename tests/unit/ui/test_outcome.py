"""Whatever the output is, a command ends with a status and without a class's name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ui.cli.outcome import status_of

ROOT = Path(__file__).resolve().parents[3]
SAYS = "import sys; from ui.cli.outcome import *; open_output(); sys.exit(status_of({}))"


def _run(command: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    shell = f'"{sys.executable}" -c "{SAYS.format("lambda: print(chr(128512))")}" {command}'
    return subprocess.run(
        ["sh", "-c", shell],
        cwd=ROOT,
        env=os.environ | more,
        capture_output=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_a_sign_that_the_terminal_does_not_know_hides_nothing(encoding: str) -> None:
    done = _run("", PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"?\n", b"")


def test_output_that_is_closed_is_no_failure() -> None:
    done = _run(">&-")
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_full_disk_is_a_sentence() -> None:
    done = _run("> /dev/full")
    assert done.returncode == 1
    assert done.stderr == b"recollect: No space left on device: make room where this writes.\n"


def test_a_command_that_breaks_tells_kind_and_path_and_no_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("RECOLLECT_DEBUG", raising=False)

    def broken() -> None:
        raise ValueError("the s3cret words")

    def unwritable() -> None:
        raise PermissionError(13, "Permission denied", "/there")

    assert (status_of(broken), status_of(unwritable)) == (1, 1)
    first, second = capsys.readouterr().err.splitlines()
    assert "ValueError at ui.cli.outcome:" in first
    assert "s3cret" not in first
    assert "PermissionError (Permission denied) at ui.cli.outcome:" in second
    assert ": /there (run with" in second
