"""Persona files in one folder, read anew each time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from typing_extensions import override

from memory.policy.rules import BadPolicy
from memory.ports.policies import Personas

MAX_PERSONA_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class PersonaFolder(Personas):
    """`Personas` on a folder; without one there are no files to name."""

    folder: Path | None

    @override
    async def text(self, name: str) -> str:
        """Return a persona's text, at most `MAX_PERSONA_CHARS` of it.

        Raises:
            BadPolicy: there is no folder, no such file in it, or it cannot be read.
        """
        return await asyncio.to_thread(self._read, name)

    def _read(self, name: str) -> str:
        if self.folder is None:
            raise BadPolicy("there is no persona folder: set RECOLLECT_PERSONA_DIR")
        # A name from a chat must not lead out of the folder, not by a link either.
        path = (self.folder / name).resolve()
        if path.parent != self.folder.resolve() or not path.is_file():
            raise BadPolicy(f"there is no persona file {name} in the persona folder")
        try:
            return path.read_text(encoding="utf-8")[:MAX_PERSONA_CHARS]
        except (OSError, UnicodeDecodeError) as error:
            raise BadPolicy(f"the persona file {name} cannot be read as text") from error
