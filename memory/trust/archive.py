"""A zip that is written while it is sent: no more of it is held than a page."""

from __future__ import annotations

import zipfile
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import datetime
from typing import Final

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


async def zipped(pieces: AsyncGenerator[tuple[str, bytes]], at: datetime) -> AsyncGenerator[bytes]:
    """Yield a zip of files, given as pieces of (name, content), those of one file together.

    `at`: when the files were written, as the archive tells. The archive cannot be opened before its
    last bytes are there, so that half of one is never taken for a whole.
    """
    sink = _Sink()
    async with aclosing(pieces):
        with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
            entry, named = None, ""
            try:
                async for name, content in pieces:
                    if entry is None or name != named:
                        if entry is not None:
                            entry.close()
                        info = zipfile.ZipInfo(name, at.timetuple()[:6])
                        info.compress_type = zipfile.ZIP_DEFLATED
                        info.external_attr = WORLD_READABLE
                        # How long it becomes is not known yet.
                        entry, named = archive.open(info, "w", force_zip64=True), name
                    entry.write(content)
                    if held := sink.take():
                        yield held
            finally:
                if entry is not None:
                    entry.close()
    yield sink.take()
