"""A message in the sentences by which it is read; long ones without stops in clauses. Pure."""

from __future__ import annotations

import re
from typing import Final

MAX_CHARS: Final = 4000
"""Of a longer message the beginning is read, as for facts."""
MAX_SENTENCES: Final = 24
_LONG: Final = 22  # words
_SHORT: Final = 4
_CLAUSE: Final = 60  # words at most, where nothing divides
_END: Final = re.compile(r"(?<=[.!?…。！？])[\"'”’)\]]*\s+|\n+|(?<=[?!])(?=[A-ZА-Я])")
_ABBREVIATED: Final = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|prof|no|nr|vs|sr|sra|etc|bzw|z\.b|ca|d)|\d)\.$", re.IGNORECASE
)
_DIVIDES: Final = re.compile(
    r",\s+|;\s+|\s[-–—]+\s|\s+(?=(?:and|but|so|also|then|anyway|because|und|aber|also|dann|weil|y|pero|entonces"
    r"|porque|e|mas|então|и|но|а|потом|поэтому)\s)"
)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, at most `MAX_SENTENCES`, none of them empty."""
    found: list[str] = []
    held = ""
    for part in _parts(text[:MAX_CHARS]):
        held = f"{held} {part}".strip()
        if _ABBREVIATED.search(held):
            continue
        found += _clauses(held)
        held = ""
    if held:
        found += _clauses(held)
    return found[:MAX_SENTENCES]


def _parts(text: str) -> list[str]:
    parts, start = [], 0
    for end in _END.finditer(text):
        parts.append(text[start : end.end()].strip())
        start = end.end()
    return [part for part in (*parts, text[start:].strip()) if part]


def _clauses(sentence: str) -> list[str]:
    """Return a sentence, or its clauses where it is long."""
    words = len(sentence.split())
    if words <= _LONG:
        return [sentence]
    clauses: list[str] = []
    for part in _DIVIDES.split(sentence):
        joined = f"{clauses[-1]}, {part}" if clauses else part
        is_short = clauses and min(len(part.split()), len(clauses[-1].split())) <= _SHORT
        if is_short and len(joined.split()) <= _LONG:
            clauses[-1] = joined
        elif part.strip():
            clauses.append(part.strip())
    return [piece for clause in clauses for piece in _cut(clause)]


def _cut(clause: str) -> list[str]:
    words = clause.split()
    return [" ".join(words[at : at + _CLAUSE]) for at in range(0, len(words), _CLAUSE)]
