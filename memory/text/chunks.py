"""Split long texts so that an embedder of limited input reads all of it.

Each chunk becomes a vector of its own that points to the same message. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# MiniLM reads 256 word pieces, [CLS] and [SEP] included; the rest is slack for the estimate.
MAX_TOKENS = 240

# Words up to five letters are mostly one word piece, longer ones at least three letters each.
_SHORT_WORD = 5
_LETTERS_PER_TOKEN = 3

_SEPARATOR = "#"

_PIECE = re.compile(r"[A-Za-z]+|\S")
_LONG_WORD = re.compile(rf"[A-Za-z]{{{_SHORT_WORD + 1},}}")
# Runs are taken whole, whether or not a sentence ends there: that keeps the search linear.
_MARKS = re.compile(r"(?P<marks>[.!?…。！？]+)[\"'”’)\]]*(?P<space>\s*)|\n\s*")
_UNSPACED = frozenset("。！？")
_WORD = re.compile(r"\S+\s*|\s+")


def estimate_tokens(text: str) -> int:
    """Estimate word pieces, rather too many than too few; symbols and digits count one each."""
    # What long words take beyond one each is added: a prompt's lines are measured again and again.
    long = sum([(len(word) - 1) // _LETTERS_PER_TOKEN for word in _LONG_WORD.findall(text)])
    return len(_PIECE.findall(text)) + long


def split_for_embedding(text: str, max_tokens: int = MAX_TOKENS) -> list[str]:
    """Split a text into chunks of at most `max_tokens`, at sentence ends where possible.

    A text that fits is one chunk, as it is. Sentences are packed in order; one too long is split
    between words, a word too long between characters. Joined, the chunks hold every character but
    the white space around the cuts. Takes time in proportion to the text.
    """
    if max_tokens < 1:
        raise ValueError("max_tokens must be at least 1")
    if estimate_tokens(text) <= max_tokens:
        return [text]
    chunks: list[str] = []
    current, used = "", 0
    for piece in _pieces(text, max_tokens):
        joined = used + estimate_tokens(piece)
        # Parts of a long word that was cut may count more together.
        if current[-1:].isalpha() and piece[0].isalpha():
            joined = estimate_tokens(current + piece)
        if current and joined > max_tokens:
            chunks.append(current.strip())
            current, joined = "", estimate_tokens(piece)
        current, used = current + piece, joined
    chunks.append(current.strip())
    return [chunk for chunk in chunks if chunk]


def chunk_id(item_id: str, number: int) -> str:
    """Name chunk `number` of an item: `<item_id>#<number>`."""
    return f"{item_id}{_SEPARATOR}{number}"


def item_of_chunk(name: str) -> str:
    """Return the item that a chunk's name points to; any other name is its own item."""
    item_id, separator, number = name.rpartition(_SEPARATOR)
    return item_id if separator and number.isdecimal() else name


def _pieces(text: str, max_tokens: int) -> Iterator[str]:
    """Cut into sentences, words or characters: the largest parts that fit."""
    for sentence in _sentences(text):
        if estimate_tokens(sentence) <= max_tokens:
            yield sentence
            continue
        for word in _WORD.findall(sentence):
            if estimate_tokens(word) <= max_tokens:
                yield word
            else:
                yield from _cut(word, max_tokens)


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for end in _MARKS.finditer(text):
        marks = end["marks"]
        if marks is None or end["space"] or not _UNSPACED.isdisjoint(marks):
            yield text[start : end.end()]
            start = end.end()
    if start < len(text):
        yield text[start:]


def _cut(word: str, max_tokens: int) -> Iterator[str]:
    """Halve a word until its parts fit; a single character always counts as fitting."""
    if len(word) < 2 or estimate_tokens(word) <= max_tokens:
        yield word
        return
    middle = len(word) // 2
    yield from _cut(word[:middle], max_tokens)
    yield from _cut(word[middle:], max_tokens)
