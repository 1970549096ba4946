"""Texts cut short for people and prompts, in time linear in what is read. Pure."""

from __future__ import annotations

import re
from itertools import pairwise

# Only from where a run of marks begins: a message may have thousands of dots in a row.
_BREAK = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’»)]*\s+|[。！？]+\s*|\n\s*")


def cut(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters, the end of a longer one replaced by `…`."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)].rstrip() + "…"


def sentence_with(text: str, words: str, limit: int) -> str:
    """Return the sentence of a text that holds `words`, in at most `limit` characters.

    Where the text does not hold them as they are, the longest of them that it holds decides, and
    with none of them its first sentence is returned.
    """
    at, length = _find(text, words)
    begin, end = _around(text, at, at + length)
    sentence = text[begin:end].strip()
    if len(sentence) <= limit:
        return sentence
    # As much before the words as after them, so that they stand in the excerpt.
    start = max(min(at - (limit - length) // 2, end - limit), begin)
    shown = text[start:end].rstrip()
    return cut(f"…{shown[1:]}" if start > begin else shown.lstrip(), limit)


def _around(text: str, start: int, stop: int) -> tuple[int, int]:
    """Return where the sentence begins and ends that holds a stretch of a text."""
    begin = 0
    for found in _BREAK.finditer(text):
        if found.end() >= stop:
            return begin, found.end()
        if found.end() <= start:
            begin = found.end()
    return begin, len(text)


def _find(text: str, words: str) -> tuple[int, int]:
    lowered = text.lower()
    for wanted in (words, *sorted(words.split(), key=len, reverse=True)):
        if wanted and (at := lowered.find(wanted.lower())) >= 0:
            return at, len(wanted)
    return 0, 0


def sentences(text: str) -> list[str]:
    """Return a text's sentences and lines, with the blanks after each: together they are the text.

    "7.30" and "ana@example.org" stay whole: a mark ends a sentence only before a blank.
    """
    ends = [found.end() for found in _BREAK.finditer(text)]
    return [part for begin, end in pairwise([0, *ends, len(text)]) if (part := text[begin:end])]
