"""Real servers in folders of their own; whatever a test leaves running is stopped."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memory.embedded import lease
from tests.integration.embedded.clients import (
    OURS,
    ROOT,
    Client,
    Interpreter,
    eventually,
    processes_of,
)


@pytest.fixture(scope="session")
def initialised() -> Iterator[Path]:
    """A data folder with a fresh cluster, to copy: creating one takes the best part of a second."""
    folder = Path(tempfile.mkdtemp(prefix="recollect-test-")).resolve()
    folder.chmod(0o711)
    with lease(folder):
        pass
    assert eventually(lambda: not processes_of(folder))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that every user may enter, unlike pytest's own temporary folders."""
    folder = Path(tempfile.mkdtemp(prefix="recollect-test-")).resolve()
    folder.chmod(0o711)
    yield folder
    for pid in processes_of(folder).values():
        os.kill(pid, signal.SIGKILL)
    shutil.rmtree(folder)


@pytest.fixture
def data_dir(place: Path, initialised: Path) -> Iterator[Path]:
    """A data folder whose path has spaces; its servers are stopped after the test."""
    folder = place / "my data's $HOME"
    subprocess.run(["cp", "-a", initialised, folder], check=True)
    (folder / "run" / "last-state.json").unlink()
    yield folder
    if pid := processes_of(folder).get("supervisor"):
        os.kill(pid, signal.SIGTERM)
    assert eventually(lambda: not processes_of(folder))


@pytest.fixture
def client(data_dir: Path) -> Iterator[Callable[[], Client]]:
    """Starts clients on the data folder; those still alive after the test are killed."""
    started: list[Client] = []

    def start() -> Client:
        started.append(Client(data_dir))
        return started[-1]

    yield start
    for one in started:
        one.kill()


@pytest.fixture(scope="session")
def ordinary_user() -> Iterator[Interpreter]:
    """An ordinary user's Python: our own, or as root one that some listed user can reach.

    An interpreter and source under root's private home are linked or copied out of it.
    """
    if os.geteuid() != 0:
        yield OURS
        return
    place = Path(tempfile.mkdtemp(prefix="recollect-test-"))
    place.chmod(0o711)
    user = next(entry.pw_uid for entry in pwd.getpwall() if 0 < entry.pw_uid < 65000)
    site = next(Path(p) for p in sys.path if p.endswith("site-packages"))
    base = place / "python"
    library = f"lib/python{sys.version_info.major}.{sys.version_info.minor}"
    skip = shutil.ignore_patterns("site-packages", "test", "__pycache__", "idlelib", "config-*")
    shutil.copytree(f"{sys.base_prefix}/{library}", base / library, ignore=skip, symlinks=True)
    executable = base / "bin" / "python3"
    executable.parent.mkdir()
    shutil.copy(Path(sys.executable).resolve(), executable)
    for shared in Path(sys.base_prefix, "lib").glob("libpython*"):
        shutil.copy(shared, base / "lib")
    shutil.copytree(ROOT / "memory", place / "source" / "memory")
    environment = {
        "PYTHONPATH": f"{place / 'source'}:{site}",
        "LD_LIBRARY_PATH": str(base / "lib"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    yield Interpreter(str(executable), environment, uid=user)
    shutil.rmtree(place)
