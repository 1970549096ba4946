"""Persona files, read anew each time: the one of the settings, and those of one folder."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from pathlib import Path

from typing_extensions import override

from graph.settings import BadSettings, Settings
from memory.errors import RecollectError
from memory.policy.rules import BadPolicy
from memory.ports.policies import Personas

MAX_PERSONA_CHARS = 20_000

log = logging.getLogger(__name__)


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


class PersonaFile:
    """The persona that the settings name; the last text of its file where that cannot be read now.

    So an edit counts from the next turn on, and a file that is being replaced costs no answer.

    Raises:
        BadSettings: when it is made, the file cannot be read, or is empty.
    """

    def __init__(self, settings: Settings) -> None:
        """Read it once."""
        self._settings = settings
        self._text = settings.persona()
        self._is_lost = False

    async def text(self) -> str:
        """Return the persona's text."""
        if self._settings.persona_file is None:
            return self._text
        return await asyncio.to_thread(self._read)

    def _read(self) -> str:
        try:
            self._text, self._is_lost = self._settings.persona(), False
        except BadSettings as error:
            if not self._is_lost:
                log.warning("%s; its last text is used", error)
            self._is_lost = True
        return self._text


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
