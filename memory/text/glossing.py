"""Other languages put into the network's own, word by word, before it reads them.

The encoder knows English. In a message of another language each word that has a gloss
(`glosses/de.tsv` ...: a word, a tab, what it means in English) is read as its gloss, and every
other one in Latin letters; what is found points to the message's own words. `glosses/en.txt` has
common English words, so that English is not taken for anything else.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

FOLDER: Final = Path(__file__).with_name("glosses")
LANGUAGES: Final = ("de", "es", "pt", "ru")
_ENGLISH: Final = "en.txt"
_ITSELF: Final = "-"
"""The gloss of what stays as it is: names, words that English has, too."""
LEAST_KNOWN: Final = 0.5
"""Share of a message's words that are in the list of a language where it is of that language."""
# Accents may stand as characters of their own.
_WORD: Final = re.compile("(?:[^\\W\\d_][\u0300-\u036f]*)+")
# "Frau Albers" is nobody's wife, "meine Frau Ute" is.
_TITLES: Final = {"de": {"frau": "mrs", "herr": "mr", "herrn": "mr"}}
_WHOSE: Final = re.compile(r"\b(?:mein|dein|sein|ihr|unser|eur|euer)\w*\s+$", re.IGNORECASE)
_NAME_NEXT: Final = re.compile(r"\s+[A-ZÄÖÜ]\w")
_STEM_LETTERS: Final = 5
_ENDING_LETTERS: Final = 3
"""A word is taken for another form of one that shares its first letters, but for its ending."""
_CYRILLIC: Final = str.maketrans(
    dict(
        zip(
            "абвгдеёзийклмнопрстуфхыэґіў",
            "a b v g d e e z i y k l m n o p r s t u f h y e g i u".split(),
            strict=True,
        )
    )
    | {"ж": "zh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "sch", "ъ": "", "ь": "", "ю": "yu"}
    | {"я": "ya", "є": "ye", "ї": "yi"}
)


class Swap(NamedTuple):
    """`start` to `end` of the text as it is read stand for `source` in the message."""

    start: int
    end: int
    source: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Rendered:
    """A text as the network reads it, and which of its places stand for others."""

    text: str
    swaps: tuple[Swap, ...] = ()

    def source(self, start: int, end: int) -> tuple[int, int]:
        """Return the characters of the message that `start` to `end` of the text stand for."""
        at = bisect_right(self.swaps, start, key=lambda swap: swap.start) - 1
        if at < 0:
            return start, end
        swap = self.swaps[at]
        if start < swap.end:
            return swap.source
        moved = swap.source[1] - swap.end
        return start + moved, end + moved


class Glosses:
    """What words of other languages mean in English."""

    def __init__(self, folder: Path = FOLDER) -> None:
        """Load the lists; it takes about 0.1 s."""
        self._glosses = {name: _read(folder / f"{name}.tsv") for name in LANGUAGES}
        self._english = frozenset((folder / _ENGLISH).read_text("utf-8").split())
        self._sorted = {name: sorted(words) for name, words in self._glosses.items()}

    def language_of(self, text: str) -> str:
        """Return the language of most of the words that are known; `en` where it is open.

        A word that English does not have says twice as much.
        """
        words = [_composed(word) for word in _WORD.findall(text)]
        english = sum(word in self._english for word in words)
        if english == len(words):
            return "en"
        found = {name: [self._known(word, name) for word in words] for name in self._glosses}
        weight = {
            name: sum(
                2 - (word in self._english)
                for word, gloss in zip(words, glosses, strict=True)
                if gloss not in ("", _ITSELF)
            )
            for name, glosses in found.items()
        }
        best = max(weight, key=lambda name: weight[name])
        is_more = weight[best] > english
        is_known = sum(map(bool, found[best])) >= LEAST_KNOWN * len(words)
        return best if is_more and is_known else "en"

    def render(self, text: str, language: str) -> Rendered:
        """Return a text with its words glossed; an English one as it is."""
        if language == "en":
            return Rendered(text)
        parts: list[str] = []
        swaps: list[Swap] = []
        done = size = 0
        for word in _WORD.finditer(text):
            new = _title(text, word, language) or self._gloss(word.group(), language)
            if new == word.group():
                continue
            start = size + word.start() - done
            swaps.append(Swap(start, start + len(new), word.span()))
            parts += [text[done : word.start()], new]
            done, size = word.end(), start + len(new)
        return Rendered("".join([*parts, text[done:]]), tuple(swaps))

    def _gloss(self, word: str, language: str) -> str:
        lower = _composed(word)
        gloss = self._known(lower, language) or self._by_stem(_folded(lower), language)
        return lower.translate(_CYRILLIC) if gloss in ("", _ITSELF) else gloss

    def _known(self, word: str, language: str) -> str:
        glosses = self._glosses[language]
        return glosses.get(word) or ("" if word.isascii() else glosses.get(_folded(word), ""))

    def _by_stem(self, folded: str, language: str) -> str:
        """Return the gloss of a word's other form: of the one that shares most letters with it."""
        if len(folded) < _STEM_LETTERS:
            return ""
        words = self._sorted[language]
        at = bisect_left(words, folded)
        near = words[max(0, at - 1) : at + 1]
        best = max(near, key=lambda other: _shared(folded, other), default="")
        letters = max(_STEM_LETTERS, max(len(folded), len(best)) - _ENDING_LETTERS)
        return self._glosses[language][best] if _shared(folded, best) >= letters else ""


@lru_cache(maxsize=1)
def shipped_glosses() -> Glosses:
    """Return the glosses of the package, loaded once."""
    return Glosses()


def _read(path: Path) -> Mapping[str, str]:
    """Return the glosses by word, and by what is left of each without its accents."""
    lines = path.read_text("utf-8").splitlines()
    exact = {word: gloss for word, _, gloss in (line.partition("\t") for line in lines)}
    return {_folded(word): gloss for word, gloss in exact.items()} | exact


def _title(text: str, word: re.Match[str], language: str) -> str:
    """Return the gloss of a title before a name; empty for any other word."""
    title = _TITLES.get(language, {}).get(word.group().lower(), "")
    if not title or _WHOSE.search(text, 0, word.start()):
        return ""
    return title if _NAME_NEXT.match(text, word.end()) else ""


def _composed(word: str) -> str:
    """Return a word in lower case, each letter with its accents in one."""
    return unicodedata.normalize("NFC", word.lower())


def _folded(word: str) -> str:
    """Return a word in lower case without accents: chats leave both out."""
    return "".join(
        letter
        for letter in unicodedata.normalize("NFKD", word.casefold())
        if not unicodedata.combining(letter)
    )


def _shared(one: str, other: str) -> int:
    for at, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return at
    return min(len(one), len(other))
