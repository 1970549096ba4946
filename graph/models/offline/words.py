"""Words of a text: normalised lines for the cues, stems of content words for the overlap."""

from __future__ import annotations

import re
from typing import Final

from memory.text.lexical import searchable
from memory.text.words import STOP_WORDS, stem

MAX_TEXT_CHARS: Final = 4_000  # of one text; what lies beyond is not read
QUOTE_CHARS: Final = 160

_URL = re.compile(r"https?://\S+")
_APOSTROPHE = re.compile("['’ʼ`´]")
_POSSESSIVE = re.compile(r"['’]s\b")
_NO_WORD = re.compile(r"[\W_]+")
_SENTENCE = re.compile(r"[^.!?…？！。؟\n]+[.!?…？！。؟]*")


def normalise(text: str) -> str:
    """Return the text in lower case, without apostrophes, punctuation and links."""
    bare = _APOSTROPHE.sub("", _URL.sub(" ", text[:MAX_TEXT_CHARS]).casefold())
    return _NO_WORD.sub(" ", bare).strip()


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, each with its end mark; links are left out.

    Of a long text the start and the end are read: people ask first or last.
    """
    if len(text) > MAX_TEXT_CHARS:
        half = MAX_TEXT_CHARS // 2
        text = f"{text[:half]}\n{text[-half:]}"
    found = _SENTENCE.findall(_URL.sub(" ", text))
    return [sentence.strip() for sentence in found if sentence.strip()]


def content_stems(text: str) -> frozenset[str]:
    """Return the stems of a text's words, without stop words."""
    bare = _POSSESSIVE.sub("", text[:MAX_TEXT_CHARS])
    words = normalise(searchable(bare)).split()
    return frozenset(stem(word) for word in words if word not in STOP_WORDS)


def shorten(text: str, limit: int = QUOTE_CHARS) -> str:
    """Return the text on one line, cut at a word to at most `limit` characters."""
    line = " ".join(text[:MAX_TEXT_CHARS].split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    head, space, _ = cut.rpartition(" ")
    return (head if space and len(head) > limit // 2 else cut) + "…"


def quote(text: str, limit: int = QUOTE_CHARS) -> str:
    """Return the text shortened, in typographic quotes."""
    return f"“{shorten(text, limit)}”"
