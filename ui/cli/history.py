"""What was typed in the terminal, kept across sessions in the data folder."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from prompt_toolkit.history import FileHistory

FILE_NAME = "chat_history"
DRAFT_NAME = FILE_NAME + ".new"
MAX_BYTES = 512 * 1024


class KeptHistory(FileHistory):
    """A file that its owner alone can read; at most half a megabyte, the newest lines.

    What begins with a space is not kept. A file that cannot be written keeps nothing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with suppress(OSError):
            self._shorten()
        super().__init__(str(path))

    def store_string(self, string: str) -> None:
        """Append what was typed."""
        if string.startswith(" "):
            return
        with suppress(OSError):
            os.close(os.open(self._path, os.O_CREAT | os.O_WRONLY, 0o600))
            self._path.chmod(0o600)
            super().store_string(string)

    def _shorten(self) -> None:
        if not self._path.exists() or self._path.stat().st_size <= MAX_BYTES:
            return
        newest = self._path.read_bytes()[-MAX_BYTES // 2 :]
        # An entry begins after an empty line.
        _, _, whole = newest.partition(b"\n\n")
        draft = self._path.with_name(DRAFT_NAME)
        draft.touch(mode=0o600)
        draft.write_bytes(b"\n" + whole)
        draft.replace(self._path)


def drop_history(folder: Path) -> None:
    """Remove what was typed, whoever typed it, from the data folder.

    Raises:
        OSError: it cannot be removed.
    """
    for name in (FILE_NAME, DRAFT_NAME):
        (folder / name).unlink(missing_ok=True)
