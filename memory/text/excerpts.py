"""Texts cut short for people and prompts, in time linear in what is read. Pure."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import Final

from memory.text.words import content_stems

ABBREVIATIONS: Final = (
    *("St", "Dr", "Mr", "Ms", "Mrs", "Prof", "vs", "etc", r"e\.g", r"i\.e"),
    *("Sr", "Sra", "Dra", "Hr", "Fr", "Nr", "bzw", "ca", r"z\.B", "ул", "им"),
)
"""Patterns of words whose full stop ends no sentence."""
NOT_ABBREVIATED: Final = "".join(rf"(?<!\b{word})" for word in ABBREVIATIONS)
"""Stands before a mark that ends a sentence."""
# Only from where a run of marks begins: a message may have thousands of dots in a row.
_BREAK = re.compile(rf"(?<![.!?…]){NOT_ABBREVIATED}[.!?…]+[\"'”’»)]*\s+|[。！？]+\s*|\n\s*")


def cut(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters, the end of a longer one replaced by `…`."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)].rstrip() + "…"


def about(text: str, stems: frozenset[str], limit: int) -> str:
    """Return a text of at most `limit` characters: of a longer one where most of the words stand.

    `stems`: those that are looked for, as `memory.text.words` makes them; the rarer in the text the
    heavier. The excerpt begins with the sentence before the first that has any of them. Without any
    it is the beginning of the text.
    """
    if len(text) <= limit:
        return text
    parts = sentences(text)
    held = [stems & content_stems(part) for part in parts]
    spread = Counter(stem for each in held for stem in each)
    best, begin, weight = 0.0, 0, 0.0
    inside: Counter[str] = Counter()
    end = size = 0
    for start, part in enumerate(parts):
        while end < len(parts) and (size + len(parts[end]) <= limit or end == start):
            weight += sum(1 / spread[stem] for stem in held[end] if not inside[stem])
            inside.update(held[end])
            size += len(parts[end])
            end += 1
        if weight > best and held[start]:
            best, begin = weight, start
        size -= len(part)
        inside.subtract(held[start])
        weight -= sum(1 / spread[stem] for stem in held[start] if not inside[stem])
    first = max(begin - 1, 0)
    shown = "".join(parts[first:])
    return cut(shown if first == 0 else f"…{shown}", limit)


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
