"""A message as the reader's network takes it: word pieces, and what its vocabulary cannot see.

The vocabulary is in lower case; how a word was capitalised says whether it is a name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from tokenizers import Encoding, Tokenizer

from memory.domain.readings import Excerpt
from memory.text.glossing import Glosses, Rendered

MAX_PIECES: Final = 440
"""Of a text; longer ones come in parts (`memory.facts.reading.parts`). 512 have a position."""

BEFORE_PIECES: Final = 32
"""The last pieces of the turn before; what it asks stands at its end."""

NO_CASE, LOWER, OPENING, TITLE, UPPER, DIGITS = range(6)
CASES: Final = 6

_SENTENCE_END: Final = re.compile(r"[.!?:…\n]\W*$")


@dataclass(frozen=True, slots=True)
class Pieces:
    """One input: `ids`, `kinds` (0 the message, 1 the turn before) and `cases` are as long.

    `firsts`: for each word of the message its first piece's place; `words`: its characters.
    """

    ids: list[int]
    kinds: list[int]
    cases: list[int]
    firsts: list[int]
    words: list[tuple[int, int]]


def pieces_of(tokenizer: Tokenizer, excerpt: Excerpt, glosses: Glosses) -> Pieces:
    """Cut a message and the turn before it into pieces: `[CLS] message [SEP] before [SEP]`."""
    opening, closing = (tokenizer.token_to_id(name) or 0 for name in ("[CLS]", "[SEP]"))
    language = glosses.language_of(f"{excerpt.text} {excerpt.before}")
    rendered = glosses.render(excerpt.text, language)
    said = tokenizer.encode(rendered.text, add_special_tokens=False)
    ids, cases, firsts, words = [opening], [NO_CASE], [], []
    for place, start, end, is_first in _words(said, rendered):
        ids.append(said.ids[place])
        cases.append(_case(excerpt.text, start, end) if is_first else cases[-1])
        if is_first:
            firsts.append(len(ids) - 1)
            words.append((start, end))
        elif words:
            words[-1] = (words[-1][0], end)
    ids.append(closing)
    cases.append(NO_CASE)
    kinds = [0] * len(ids)
    if excerpt.before.strip():
        turn = glosses.render(excerpt.before, language).text
        before = tokenizer.encode(turn, add_special_tokens=False).ids[-BEFORE_PIECES:]
        ids += [*before, closing]
        kinds += [1] * (len(before) + 1)
        cases += [NO_CASE] * (len(before) + 1)
    return Pieces(ids, kinds, cases, firsts, words)


def _words(encoding: Encoding, rendered: Rendered) -> list[tuple[int, int, int, bool]]:
    """Return each piece's place, its characters in the message, and whether it opens a word.

    A gloss of several words is one word, as what it stands for.
    """
    found: list[tuple[int, int, int, bool]] = []
    last = None
    for place, (word, offsets) in enumerate(
        zip(encoding.word_ids[:MAX_PIECES], encoding.offsets[:MAX_PIECES], strict=True)
    ):
        start, end = rendered.source(*offsets)
        is_first = word != last and not (found and found[-1][1:3] == (start, end))
        found.append((place, start, end, is_first))
        last = word
    return found


def _case(text: str, start: int, end: int) -> int:
    # The first piece may end within the word: the word's own end is not known yet.
    word = re.match(r"\w*", text[start:])
    letters = word.group() if word and word.group() else text[start:end]
    if any(letter.isdigit() for letter in letters):
        return DIGITS
    if not letters[:1].isupper():
        return LOWER if letters[:1].isalpha() else NO_CASE
    if len(letters) > 1 and letters.isupper():
        return UPPER
    before = text[max(0, start - 4) : start]
    return OPENING if start == 0 or not before.strip() or _SENTENCE_END.search(before) else TITLE
