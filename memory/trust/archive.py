"""A zip that is written while it is sent: no more of it is held than a page."""

from __future__ import annotations

import zipfile
from collections.abc import AsyncGenerator
from contextlib import aclosing, closing
from datetime import datetime
from typing import IO, Final

WORLD_READABLE: Final = 0o644 << 16
"""Permissions of the files, as zip keeps them."""


class _Sink:
    """What was written and not taken yet. It cannot seek, so that the archive never goes back."""

    def __init__(self) -> None:
        self._held = bytearray()

    def write(self, data: bytes) -> int:
        self._held += data
        return len(data)

    def flush(self) -> None:
        """Do nothing: what was written is here."""

    def close(self) -> None:
        """Do nothing: there is nothing open."""

    def take(self) -> bytes:
        """Return what was written since."""
        held = bytes(self._held)
        self._held.clear()
        return held


class _Entries:
    """The files of an archive, written one after the other."""

    def __init__(self, archive: zipfile.ZipFile, at: datetime) -> None:
        self._archive = archive
        self._at = at
        self._entry: IO[bytes] | None = None
        self._name = ""

    def write(self, name: str, content: bytes) -> None:
        """Write to the file of that name: the one written last, or one that begins."""
        if self._entry is None or name != self._name:
            self.close()
            info = zipfile.ZipInfo(name, self._at.timetuple()[:6])
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = WORLD_READABLE
            # How long it becomes is not known yet.
            self._entry, self._name = self._archive.open(info, "w", force_zip64=True), name
        self._entry.write(content)

    def close(self) -> None:
        """Finish the last file."""
        if self._entry is not None:
            self._entry.close()


async def zipped(pieces: AsyncGenerator[tuple[str, bytes]], at: datetime) -> AsyncGenerator[bytes]:
    """Yield a zip of files, given as pieces of (name, content), those of one file together.

    `at`: when the files were written, as the archive tells. The archive cannot be opened before its
    last bytes are there, so that half of one is never taken for a whole.
    """
    sink = _Sink()
    async with aclosing(pieces):
        with (
            zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive,
            closing(_Entries(archive, at)) as entries,
        ):
            async for name, content in pieces:
                entries.write(name, content)
                if held := sink.take():
                    yield held
    yield sink.take()
