"""Sentences of a text, and texts cut short at a word."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from memory.text.excerpts import ABBREVIATIONS, NOT_ABBREVIATED
from memory.text.words import MAX_TEXT_CHARS, URL

QUOTE_CHARS: Final = 160

# "20. April", "7.30" and "St. Mary" stay whole.
_STOPS = "|".join(rf"(?<=\b{word})\." for word in ABBREVIATIONS)
_SENTENCE = re.compile(
    rf"(?:[^.!?…？！。؟\n]|{_STOPS}|(?<=\d)\.(?=\d|\s?(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)))+"
    r"[.!?…？！。؟]*"
)
# "7.30", "mrs. kay" and "what?? no" stay whole: a new sentence opens large.
_BREAK = re.compile(
    rf"{NOT_ABBREVIATED}[.!?…？！。؟][\"'”’»)]{{0,2}}(\s+)(?=[\"'“„«¿¡(]{{0,2}}[^\W_a-zà-ÿа-яё])|(\n)"
)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, each with its end mark; links are left out.

    Of a long text the start and the end are read: people ask first or last.
    """
    if len(text) > MAX_TEXT_CHARS:
        half = MAX_TEXT_CHARS // 2
        text = f"{text[:half]}\n{text[-half:]}"
    found = _SENTENCE.findall(URL.sub(" ", text))
    return [sentence.strip() for sentence in found if sentence.strip()]


def statements(text: str) -> list[str]:
    """Return a text's sentences and lines, in order; joined by blanks they are the text again."""
    text = text[:MAX_TEXT_CHARS]
    ends = [found.start(found.lastindex or 0) for found in _BREAK.finditer(text)]
    parts = (text[start:end].strip() for start, end in pairwise([0, *ends, len(text)]))
    return [part for part in parts if part]


def shorten(text: str, limit: int = QUOTE_CHARS) -> str:
    """Return the text on one line, cut at a word to at most `limit` characters."""
    line = " ".join(text[:MAX_TEXT_CHARS].split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    head, space, _ = cut.rpartition(" ")
    return (head if space and len(head) > limit // 2 else cut) + "…"
