"""Persona files in one folder, read anew each time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from typing_extensions import override

from memory.errors import RecollectError
from memory.policy.rules import BadPolicy
from memory.ports.policies import Personas

MAX_PERSONA_CHARS = 20_000


class UnwritablePersona(RecollectError):
    """A persona cannot be kept so."""


def checked_persona(text: str) -> str:
    """Return a persona's text as it is kept.

    Raises:
        UnwritablePersona: it is empty, or too long; one line.
    """
    clean = "\n".join(text.replace("\x00", " ").splitlines()).strip()
    if not clean:
        raise UnwritablePersona("write who the agent is: the persona is empty")
    if len(clean) > MAX_PERSONA_CHARS:
        raise UnwritablePersona(
            f"it has {len(clean):,} characters, more than the {MAX_PERSONA_CHARS:,} of a persona"
        )
    return clean + "\n"


def write_persona(path: Path, text: str) -> None:
    """Write a persona file, whole or not at all; the next turn reads it.

    Raises:
        UnwritablePersona: the text cannot be used, or the file not be written.
    """
    clean = checked_persona(text)
    draft = path.with_name(path.name + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(clean, encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        raise UnwritablePersona(f"{path} cannot be written: {error.strerror}") from error


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
