"""A data folder that every account can reach, for the embedded stores of one test module."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def data_dir() -> Iterator[Path]:
    # pytest's own folders are closed to others; Postgres does not run as root.
    folder = Path(tempfile.mkdtemp(prefix="recollect-e2e-"))
    folder.chmod(0o755)
    yield folder / "data dir"
    shutil.rmtree(folder, ignore_errors=True)
