"""A copy of the data folder is a backup: with all in it, or with Postgres' part alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tests.e2e import processes

pytestmark = pytest.mark.timeout(300)

TOLD = "My name is Alex and I'm allergic to peanuts.\nThe spare key hangs behind the mill.\n"


def recollect(folder: Path, *arguments: str, said: str = "") -> subprocess.CompletedProcess[str]:
    """Run one command on a folder; a copy is of the same tenant."""
    return processes.recollect(folder, *arguments, said=said, RECOLLECT_TENANT="default")


@pytest.fixture
def told(new_data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of embedded stores in which something is remembered and nothing runs any more."""
    for name in os.environ:
        if name.startswith("RECOLLECT_TEST_"):
            monkeypatch.delenv(name)
    data_dir = new_data_dir
    assert recollect(data_dir, "chat", said=TOLD).returncode == 0
    assert recollect(data_dir, "rebuild").returncode == 0  # waits for what is on its way
    for _ in range(300):
        if not (data_dir / "postgres-18" / "postmaster.pid").exists():
            break
        time.sleep(0.1)
    assert not (data_dir / "postgres-18" / "postmaster.pid").exists()
    return data_dir


def test_a_copied_folder_is_restored_and_what_was_left_out_is_made_anew(told: Path) -> None:
    backup, restored = told.with_name("backup"), told.with_name("restored here")
    subprocess.run(["cp", "-a", told, backup], check=True)
    assert recollect(told, "chat", said="My name is Bo.\n").returncode == 0
    for name in ("run", "chroma"):
        shutil.rmtree(backup / name)
    subprocess.run(["cp", "-a", backup, restored], check=True)
    found = recollect(restored, "verify")
    assert found.returncode == 1
    assert "Drift in" in found.stdout
    for what in ("vectors", "facts"):
        assert recollect(restored, "rebuild", what).returncode == 0
    clean = recollect(restored, "verify")
    assert (clean.returncode, clean.stdout.splitlines()[-1]) == (0, "Clean."), clean.stdout
    said = recollect(restored, "chat", said="What's my name?\nWhere is the spare key?\n")
    assert "Alex" in said.stdout
    assert "behind the mill" in said.stdout
