"""Labelled messages as people write them: `<< turn before >> I live in [home=Porto]`.

The notation is explained in `docs/facts-labels.md`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memory.domain.readings import Status
from memory.facts.reading.labels import KEYS, NOUN_OF

_SPAN = re.compile(
    r"\[(?P<key>[a-z_.]+)(?::(?P<noun>[^\]=@?~]+?))?(?P<holder>@[^\]=]+?)?(?P<mark>[-?~]?)="
    r"(?P<value>[^\]\[]+)\]"
)
_BEFORE = re.compile(r"<<\s*(?P<before>.*?)\s*>>\s*")
_STATUSES: dict[str, Status] = {"": "stated", "-": "ended", "?": "nobody", "~": "nobody"}


@dataclass(frozen=True, slots=True)
class Mark:
    """A labelled span.

    `holder`: the word of the message that says whose it is, if not the speaker's; `is_vague`: the
    label says only that it is not the speaker's.
    """

    start: int
    end: int
    key: str
    status: Status
    holder: str = ""
    is_vague: bool = False


@dataclass(frozen=True, slots=True)
class Labelled:
    """A message with its labels; `voice` is who wrote it: `en/student`."""

    text: str
    before: str
    marks: tuple[Mark, ...]
    voice: str


class BadLabel(ValueError):
    """A line is not in the notation."""


def parse(line: str, voice: str) -> Labelled:
    """Read one line.

    Raises:
        BadLabel: an unknown key, or a bracket that is no span.
    """
    line = line.replace("\\n", "\n")
    before = ""
    if found := _BEFORE.match(line):
        before, line = found["before"], line[found.end() :]
    text, marks, nouns, at = "", [], [], 0
    for span in _SPAN.finditer(line):
        text += line[at : span.start()]
        at = span.end()
        start, text = len(text), text + span["value"]
        key = span["key"]
        if key not in KEYS:
            raise BadLabel(f"unknown key {key!r} in {line!r}")
        status = "other" if span["holder"] else _STATUSES[span["mark"]]
        holder = (span["holder"] or "@")[1:]
        mark = Mark(start, len(text), key, status, holder, span["mark"] == "~")
        marks.append(mark)
        if span["noun"] and key in NOUN_OF:
            nouns.append((span["noun"], mark))
    text += line[at:]
    if "[" in _SPAN.sub("", line) or "]" in _SPAN.sub("", line):
        raise BadLabel(f"a bracket that is no span in {line!r}")
    marks += [noun for name, mark in nouns if (noun := _noun(text, name, mark, marks))]
    return Labelled(text, before, tuple(sorted(marks, key=lambda one: one.start)), voice)


def _noun(text: str, name: str, mark: Mark, marks: list[Mark]) -> Mark | None:
    """Find the noun of a favourite beside its value, outside every other span."""
    taken = [(one.start, one.end) for one in marks]
    places = [
        found.span()
        for found in re.finditer(rf"\b{re.escape(name)}s?\b", text, re.IGNORECASE)
        if not any(start < found.end() and found.start() < end for start, end in taken)
    ]
    if not places:
        return None
    start, end = min(places, key=lambda place: abs(place[0] - mark.start))
    return Mark(start, end, NOUN_OF[mark.key], mark.status, mark.holder)


def read_folder(folder: Path) -> Iterator[Labelled]:
    """Read every `*.txt` under a folder; the voice is the file's language and name.

    Raises:
        BadLabel: with file and line.
    """
    for path in sorted(folder.rglob("*.txt")):
        voice = f"{path.parent.name}/{path.stem.rpartition('-')[0] or path.stem}"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip() or line.startswith("# "):
                continue
            try:
                yield parse(line.strip(), voice)
            except BadLabel as error:
                raise BadLabel(f"{path}:{number}: {error}") from error
