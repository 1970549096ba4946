"""Messages cut into the clauses that a summary may take up. Pure, in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from memory.domain.episodes import Spoken
from memory.episodes.features import words_of
from memory.episodes.summaries.marks import LINK

MAX_CHARS: Final = 4_000
"""Of a message; what lies beyond is not summarized."""
MAX_CLAUSES: Final = 4_000
"""Of a stretch, the latest; a longer one has chunks of its own."""
LONG_WORDS: Final = 14
"""A sentence of more words is cut at its commas and dashes, where enough stands on both sides."""
_SIDE_WORDS: Final = 5

_MONTH: Final = re.compile(
    r"\s*(?:jan|feb|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez)[a-zä]*\b", re.IGNORECASE
)
_SHORT_FORMS: Final = frozenset(
    """dr mr mrs ms prof st nr no ca bzw usw etc vs tel str inkl zzgl evtl ggf sr sra dra av ул им
    г д кв руб тыс т""".split()
)
# Runs are taken whole, and nothing of them is given back: that keeps the search linear.
_END: Final = re.compile(r"(?<![.!?…。！？])(?P<marks>[.!?…。！？]++)[\"'”“’»)\]]*+(?=\s|$)|\n+")
_LAST_WORD: Final = re.compile(r"([^\W_]+)$")
_CUT: Final = re.compile(
    r"\s*;\s+|\s+[—–-]{1,2}\s+|(?<=[^\W_])\s*[(]|[)]\s*"
    r"|,\s+(?=(?:and|but|so|because|then|aber|und|also|weil|denn|dann|pero|así\s+que|porque"
    r"|y|luego|mas|então|e|depois|но|а|и|потому|поэтому|так\s+что|i|we|ich|wir|он|она|я|мы)\s)"
    r"|\s+(?=(?:but|because|aber|pero|porque|mas)\s)",
    re.IGNORECASE,
)
# What is so on a condition stays beside it.
_IF: Final = re.compile(
    r"(?<!\w)(?:if|unless|when|once|wenn|falls|sobald|sofern|si|cuando|se|quando|если|когда)(?!\w)",
    re.IGNORECASE,
)
_WHO: Final = re.compile(
    r"(?:i|we|then|so|ich|wir|dann|yo|entonces|eu|então|я|мы|то|тогда)(?!\w)", re.IGNORECASE
)
_WORD: Final = re.compile(r"[^\W_]+(?:['’.,:/-][^\W_]+)*")
_ODD: Final = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\u2190-\u21ff]|(?<!\\w)(?:[:;=]-?[()DPpO3]+)"
    "|(?<=\\s)\\)+|(?<=[^\\W\\d_])\\){1,}$|<3+"
)
_MARKUP: Final = re.compile(r"[*_#`>]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}(?=\W|$)")
_BLANKS: Final = re.compile(r"\s+")
_QUOTED: Final = re.compile(r"“[^”]*”|„[^“”]*[“”]|«[^»]*»")


class Clause(NamedTuple):
    """A sentence or a part of one, as it may stand in a summary.

    `message` is the index of its message, `sentence` counts over the stretch, `place` within the
    message. `stems` are what clauses are compared by.
    """

    text: str
    message: int
    sentence: int
    place: int
    words: int
    stems: frozenset[str]
    asks: bool


def clauses_of(said: Sequence[Spoken]) -> list[Clause]:
    """Return the clauses of messages, in their order; at most the last `MAX_CLAUSES`."""
    found: list[Clause] = []
    sentence = 0
    for index, one in enumerate(said):
        place = 0
        whole = one.text[:MAX_CHARS]
        for text in sentences_of(_own_words(whole) if one.is_agent else whole):
            asks = "?" in text[-4:]
            for part in _parts(text):
                if words := len(_WORD.findall(LINK.sub(" ", part))):
                    stems = words_of(part)
                    found.append(Clause(part, index, sentence, place, words, stems, asks))
                    place += 1
            sentence += 1
    return found[-MAX_CLAUSES:]


def _own_words(text: str) -> str:
    """Return what an agent says, without the lines that mostly quote: others said that before."""
    lines = text.splitlines()
    return "\n".join(
        line for line in lines if 2 * sum(map(len, _QUOTED.findall(line))) < max(len(line), 1)
    )


def sentences_of(text: str) -> Iterator[str]:
    """Yield the sentences of a text, with their marks and without emojis, blanks made even."""
    start = 0
    for end in _END.finditer(text):
        before = _LAST_WORD.search(text, max(start, end.start() - 12), end.start())
        if end["marks"] == "." and before and _goes_on(before[1], text[end.end() :][:12]):
            continue
        if sentence := _plain(text[start : end.end()]):
            yield sentence
        start = end.end()
    if sentence := _plain(text[start:]):
        yield sentence


def word_count(text: str) -> int:
    """Count the words of a text."""
    return len(_WORD.findall(text))


def _goes_on(word: str, rest: str) -> bool:
    """Tell whether a sentence goes on behind a word with a dot: `Dr. Amin`, `11. bis 14.`."""
    if word.isdecimal():
        return len(word) <= 2 and (rest.lstrip()[:1].islower() or bool(_MONTH.match(rest)))
    return word.casefold() in _SHORT_FORMS


def _plain(text: str) -> str:
    bare = _MARKUP.sub("", _ODD.sub(" ", text))
    return _BLANKS.sub(" ", bare).strip(" -•·\t")


def _parts(sentence: str) -> Iterator[str]:
    """Yield a sentence, or its clauses where it is long."""
    if word_count(sentence) <= LONG_WORDS:
        yield sentence
        return
    start = 0
    for cut in _CUT.finditer(sentence):
        here, rest = sentence[start : cut.start()], sentence[cut.end() :]
        if _IF.search(here) and _WHO.match(rest):
            continue
        if word_count(here) >= _SIDE_WORDS and word_count(rest) >= _SIDE_WORDS - 2:
            yield here.strip()
            start = cut.end()
    yield sentence[start:].strip()
