"""Where things lie in a data folder, and the state file by which clients find the servers."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple

from memory.embedded.errors import EmbeddedStoreError

ROOT_DATA_DIR = Path("/var/lib/recollect")
"""Root's data folder: `nobody`, who runs Postgres then, cannot enter root's home."""


class State(NamedTuple):
    """What a supervisor tells its clients once both servers answer."""

    database_url: str
    chroma_url: str
    chroma_port: int


class Layout(NamedTuple):
    """Paths in one data folder, which must be absolute and free of symbolic links."""

    data_dir: Path

    @property
    def run(self) -> Path:
        """Folder of locks, logs and the state file."""
        return self.data_dir / "run"

    @property
    def postgres(self) -> Path:
        """Postgres cluster; its name carries the major version, whose format it has."""
        return self.data_dir / "postgres-18"

    @property
    def chroma(self) -> Path:
        """Chroma's folder."""
        return self.data_dir / "chroma"

    @property
    def state(self) -> Path:
        """State file: present while both servers answer."""
        return self.run / "state.json"

    @property
    def last_state(self) -> Path:
        """State file of the supervisor before, kept for its port."""
        return self.run / "last-state.json"

    @property
    def failure(self) -> Path:
        """Why the last supervisor gave up, in one line."""
        return self.run / "failure.txt"

    def lock(self, name: str) -> Path:
        """Lock file: clients, start, supervisor, postgres or chroma."""
        return self.run / f"{name}.lock"

    def log(self, name: str) -> Path:
        """Log file: supervisor, postgres or chroma."""
        return self.run / f"{name}.log"


def default_data_dir() -> Path:
    """Return the platform's user data folder; for root `/var/lib/recollect`."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return ROOT_DATA_DIR
    import platformdirs

    return Path(platformdirs.user_data_dir("recollect", appauthor=False))


def data_folder(chosen: Path | None) -> Path:
    """Return the data folder, the chosen or else the default one, and create it where it is not.

    Raises:
        EmbeddedStoreError: it cannot be created or written.
    """
    return prepare(chosen or default_data_dir()).data_dir


def prepare(data_dir: Path) -> Layout:
    """Create what is missing of a data folder.

    Raises:
        EmbeddedStoreError: the folder cannot be created or written.
    """
    try:
        if not data_dir.exists():
            data_dir.mkdir(parents=True, mode=0o700, exist_ok=True)
            if os.geteuid() == 0:
                data_dir.chmod(0o711)
        layout = Layout(data_dir.resolve())
        layout.run.mkdir(mode=0o700, exist_ok=True)
        if not os.access(layout.run, os.R_OK | os.W_OK | os.X_OK):
            raise PermissionError(0, "Permission denied")
    except OSError as exc:
        raise unusable(data_dir, exc) from exc
    return layout


def unusable(data_dir: Path, exc: OSError) -> EmbeddedStoreError:
    """Word a failed file operation in one line."""
    return EmbeddedStoreError(
        f"cannot use the data folder {data_dir} ({exc.strerror or exc}); free it up or set"
        " RECOLLECT_DATA_DIR to another folder"
    )


def read_state(path: Path) -> State | None:
    """Return the state in a file; None when there is none."""
    try:
        raw = json.loads(path.read_text("utf-8"))
        return State(raw["database_url"], raw["chroma_url"], int(raw["chroma_port"]))
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def write_atomically(path: Path, text: str) -> None:
    """Replace a file in one step: readers see the old content or the new, never a part."""
    draft = path.with_name(path.name + ".new")
    draft.write_text(text, "utf-8")
    draft.replace(path)


def write_state(path: Path, state: State) -> None:
    """Publish a state."""
    write_atomically(path, json.dumps(state._asdict()))
