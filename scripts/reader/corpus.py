"""The reader's messages: split by voice, and varied while it learns."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from scripts.reader.notation import Labelled, Mark

HELD_OUT = "held-out.voices"
"""Names the voices, a line each, that are kept to judge by."""

_SWAPPED = frozenset(
    "name preferred_name home origin nationality occupation employer school language spouse partner"
    " child parent sibling friend pet possession like dislike favorite allergy medical avoid age"
    " budget birthday".split()
)
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def language_of(voice: str) -> str:
    """Return a voice's language: `de/eltern` and `de2/eltern` are German."""
    return voice.partition("/")[0].rstrip("0123456789")


def split_by_voice(
    messages: Sequence[Labelled], folder: Path
) -> tuple[list[Labelled], list[Labelled]]:
    """Return the messages to learn from, and those of the voices that the folder's list names.

    Raises:
        ValueError: the list names a voice that has no messages.
    """
    held = set((folder / HELD_OUT).read_text(encoding="utf-8").split())
    if unknown := held - {message.voice for message in messages}:
        raise ValueError(f"{folder / HELD_OUT} names voices without messages: {sorted(unknown)}")
    kept = [message for message in messages if message.voice in held]
    return [message for message in messages if message.voice not in held], kept


def among(messages: Sequence[Labelled], writers: Collection[str]) -> list[Labelled]:
    """Return all messages of some writers, and as many of others, the first ones."""
    theirs = [message for message in messages if message.voice.partition("/")[0] in writers]
    others = [message for message in messages if message.voice.partition("/")[0] not in writers]
    return theirs + others[: len(theirs)]


class Varied:
    """Messages as they are seen in one epoch: values swapped, cases dropped, letters lost."""

    def __init__(self, messages: Sequence[Labelled], seed: int) -> None:
        self._messages = messages
        self._random = random.Random(seed)
        self._values: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        self._plain: defaultdict[str, list[Labelled]] = defaultdict(list)
        self._asked = [message.before for message in messages if message.before]
        self._said = [message.text for message in messages if len(message.text) < 120]
        for message in messages:
            language = language_of(message.voice)
            if not message.before and len(message.text) < 120:
                self._plain[language].append(message)
            for mark in message.marks:
                if mark.key in _SWAPPED:
                    self._values[language, mark.key].append(message.text[mark.start : mark.end])

    def epoch(self) -> list[Labelled]:
        """Return every message once, varied, in a new order."""
        found = [self._vary(message) for message in self._messages]
        self._random.shuffle(found)
        return found

    def _vary(self, message: Labelled) -> Labelled:
        chance = self._random.random
        if chance() < 0.45:
            message = self._swapped(message)
        if chance() < 0.15 and not message.before and len(message.text) < 160:
            message = self._joined(message)
        if chance() < 0.12:
            message = self._mistyped(message)
        if chance() < 0.3:
            message = _same_places(message, message.text.lower())
        elif chance() < 0.05:
            message = _same_places(message, message.text.upper())
        if chance() < 0.12:
            message = _edited(
                message, [(f.start(), f.end(), "") for f in re.finditer(r"[,.!?']+", message.text)]
            )
        if not message.before and self._asked and chance() < 0.2:
            # Most of what stands before a message asks nothing that it answers.
            pool = self._asked if chance() < 0.5 else self._said
            message = replace(message, before=self._random.choice(pool))
        return message

    def _swapped(self, message: Labelled) -> Labelled:
        edits = []
        for mark in message.marks:
            values = self._values.get((language_of(message.voice), mark.key))
            if mark.key in _SWAPPED and values and self._random.random() < 0.6:
                edits.append((mark.start, mark.end, self._random.choice(values)))
        return _edited(message, edits, inside=True)

    def _joined(self, message: Labelled) -> Labelled:
        other = self._random.choice(self._plain[language_of(message.voice)] or [message])
        between = self._random.choice([". ", " ", "\n", ", ", "! ", " - "])
        at = len(message.text) + len(between)
        moved = tuple(replace(m, start=m.start + at, end=m.end + at) for m in other.marks)
        text = message.text + between + other.text
        return replace(message, text=text, marks=message.marks + moved)

    def _mistyped(self, message: Labelled) -> Labelled:
        edits = []
        for word in re.finditer(r"[^\W\d_]{4,}", message.text):
            if self._random.random() < 0.1:
                at = self._random.randrange(word.start() + 1, word.end() - 1)
                letters = message.text[at : at + 2]
                new = self._random.choice([letters[::-1], letters[0], letters + letters[1]])
                if self._random.random() < 0.2:
                    new = self._random.choice(_LETTERS) + letters[1]
                edits.append((at, at + 2, new))
        return _edited(message, edits, inside=True)


def _same_places(message: Labelled, text: str) -> Labelled:
    return replace(message, text=text) if len(text) == len(message.text) else message


def _edited(
    message: Labelled, edits: list[tuple[int, int, str]], *, inside: bool = False
) -> Labelled:
    """Return a message with places of its text replaced, and its marks moved along.

    Without `inside` edits that touch a mark are left out.
    """
    marks = list(message.marks)
    if not inside:
        edits = [e for e in edits if not any(m.start < e[1] and e[0] < m.end for m in marks)]
    text = message.text
    for start, end, new in sorted(edits, reverse=True):
        shift = len(new) - (end - start)
        text = text[:start] + new + text[end:]
        marks = [_moved(mark, start, end, shift) for mark in marks]
    return replace(message, text=text, marks=tuple(marks))


def _moved(mark: Mark, start: int, end: int, shift: int) -> Mark:
    if end <= mark.start:
        return replace(mark, start=mark.start + shift, end=mark.end + shift)
    if start >= mark.end:
        return mark
    return replace(mark, end=mark.end + shift)
