"""Values: short noun phrases in the speaker's own spelling."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

MAX_WORDS: Final = 4

_BOUNDARY = re.compile(r"[,;:!?()\n\"“”«»…]|\.(?=\s|$)|\s[-–—/]+\s|(?<=\s)[:;]-?[()]")
_JOINT = re.compile(
    r"\s*(?:,\s*(?:and|und|y|e|et|и)?|(?:\band|\bor|\bn|&|\+|\bund|\by|\be|\bet|\bи)(?=\s))\s+",
    re.IGNORECASE,
)
_FINAL_JOINT = re.compile(r"\b(?:and|or|n|und|y|e|et|и)\b|[&+]", re.IGNORECASE)
_ARTICLE = re.compile(
    r"(?:a|an|the|some|any|my|der|die|das|ein|eine|einen|el|la|los|las|un|una|o|os|as|um|uma|le|les|"
    r"une|des|du)\s+|l'",
    re.IGNORECASE,
)

# Words that end a noun phrase: conjunctions, prepositions, verbs, pronouns, chat filler.
STOPS: Final = frozenset(
    """and or but so because cause coz cuz since when where which who whose that than as if though
    tho although while until til till with without for at in on from by about after before
    during near lol lmao haha hahaha hehe btw fyi tbh too also now atm rn currently anymore
    again pls please thanks thx ok okay anyway obviously actually right really very still just
    only is are was were am be been being i i'm im i've ive i'd i'll we we've you u he she it
    they my your ur his hers her their our this these those me him them us to n & can could will
    would should have has had having do does did don't dont even more most less much better best
    especially maybe probably today tonight yesterday tomorrow soon lately always usually
    sometimes never every all not no like lots either although recently last next ago whenever
    what how why well here there got get need want work live und oder aber weil seit mit ohne
    für jetzt gerade auch sehr bitte nicht mehr schon ist bin y pero porque desde con sin para
    ahora también muy por ya no que hace es e mas porque com sem agora também muito já que faz
    há é et mais parce depuis avec sans pour maintenant aussi très pas и а но что чтобы потому с
    со без для сейчас тоже очень уже не если в на из""".split()
)
_CLOSING: Final = frozenset(["anymore", "mehr"])
"""Stop words that close a list, too: `nuts and kiwi anymore`."""
_NOT_VALUES: Final = frozenset(
    """it this that these those you u me him her them us everything nothing something anything one
    ones both someone anyone everyone nobody people stuff things thing way what how when where
    why to your ur his their its our being doing having all some here there myself yourself each
    lot bit euch dich dir das es alles nichts etwas eso esto todo nada isso isto tudo ça cela
    tout rien это всё все тебя вас его её их ты""".split()
)


@dataclass(frozen=True, slots=True)
class _Phrase:
    value: str
    end: int
    is_whole: bool


def _read(text: str, start: int, limit: int) -> _Phrase:
    """Read the words from `start` up to a boundary or a stop word; empty when over `limit`."""
    boundary = _BOUNDARY.search(text, start)
    stop = boundary.start() if boundary else len(text)
    words: list[str] = []
    end = start
    for match in re.finditer(r"\S+", text[start:stop]):
        if match.group().casefold() in STOPS:
            is_last = match.group().casefold() in _CLOSING
            return _Phrase(_joined(words, limit), end, is_whole=is_last)
        words.append(match.group())
        end = start + match.end()
    return _Phrase(_joined(words, limit), end, is_whole=True)


def _joined(words: list[str], limit: int) -> str:
    if len(words) > limit:
        return ""
    return " ".join(words).strip(" .'*_~-")


def bare(value: str) -> str:
    """Return a value without a leading article."""
    return _ARTICLE.sub("", value, count=1) if _ARTICLE.match(value) else value


def noun(text: str, start: int, limit: int = MAX_WORDS) -> str:
    """Return the noun phrase at `start`, without its article; empty when there is none."""
    article = _ARTICLE.match(text, start)
    value = _read(text, article.end() if article else start, limit).value
    first = value.split()[0].casefold() if value else ""
    return "" if first in _NOT_VALUES else value


def nouns(text: str, start: int, limit: int = MAX_WORDS) -> Iterator[str]:
    """Yield the phrases of a list: `peanuts, shellfish and kiwi`.

    A comma goes on with the list only where an `and` ends it, so that `pizza, thanks` is one item.
    """
    pending: list[str] = []
    position, joint, is_first = start, "", True
    while True:
        article = _ARTICLE.match(text, position)
        phrase = _read(text, article.end() if article else position, limit if is_first else 3)
        valid = phrase.value and not {w.casefold() for w in phrase.value.split()} & _NOT_VALUES
        if not valid or not (is_first or phrase.is_whole or _JOINT.match(text, phrase.end)):
            return
        if is_first:
            yield phrase.value
        else:
            pending.append(phrase.value)
            if _FINAL_JOINT.search(joint):
                yield from pending
                pending = []
        following = _JOINT.match(text, phrase.end)
        if not following:
            return
        position, joint, is_first = following.end(), following.group(), False
