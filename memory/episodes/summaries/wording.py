"""How chosen clauses are told: by whom, in the third person where that is safe. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from memory.domain.episodes import Spoken
from memory.episodes.summaries import cues
from memory.episodes.summaries.clauses import Clause
from memory.episodes.summaries.days import dated

_QUOTES: Final = {
    "en": ("“", "”"),
    "de": ("„", "“"),
    "es": ("“", "”"),
    "pt": ("“", "”"),
    "ru": ("«", "»"),
}
_COMMON: Final = {
    "en": "the a an i you we is are was to of and in it that my for on with have but not will",
    "de": "der die das ich du wir ist sind war und nicht ein eine mit für auf den aber noch",
    "es": "el la los las yo tú es son fue y no un una con para por pero que en me se muy está",
    "pt": "o os as à às ao da do eu você é são foi e não um uma com para mas que em me se está pra",
}
_WORDS: Final = {name: frozenset(words.split()) for name, words in _COMMON.items()}
_LETTERS: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_CYRILLIC: Final = re.compile("[а-я]")
_QUOTED: Final = re.compile(r"[“”„«»\"]")
_ADVERBS: Final = (
    r"(?:(?:just|also|already|finally|really|still|only|actually|even|never|now|then)\s+)*"
)
_SAME: Final = (
    r"was|can|could|can't|couldn't|cannot|should|shouldn't|must|might|may|will|won't|would|wouldn't|had|hadn't"
    r"|did|didn't|wasn't|(?!need|feed|bleed|speed)[a-z]{2,}ed|went|got|bought|came|took|told|said|met|found|made|put|paid|sent|saw|"
    r"left|lost|won|quit|read|wrote|spoke|spent|broke|began|became|brought|built|chose|drove|ate|fell|felt"
    r"|forgot|gave|grew|heard|hurt|kept|knew|learnt|let|ran|sold|slept|swam|thought|threw|wore|set|cut"
)
_BASE: Final = (
    r"need|want|like|love|hate|live|work|start|start|think|know|hope|plan|prefer|wish|leave|take|get|go|do"
    r"|pay|earn|eat|drink|sleep|feel|look|see|use|play|run|ride|drive|study|teach|own|keep|bring|buy|book|miss"
    r"|believe|guess|remember|owe|expect|intend|avoid|sing|cook|train|turn|arrive|land|finish|come|meet|say"
)
_BEGINS: Final = re.compile(
    rf"(?P<adverb>)I(?:(?P<am>'m|\s+am)|(?P<have>'ve|\s+have)|(?P<will>'ll)"
    rf"|\s+(?P<said>{_ADVERBS})(?:(?P<same>{_SAME})|(?P<dont>don't|do\s+not)"
    rf"|(?P<base>{_BASE})))(?!['\w])"
)
_MINE: Final = re.compile(r"My\s+(?=\w)")
_US: Final = re.compile(r"\b(?:we|we're|we've|we'll|us|our|ours|let's)\b", re.IGNORECASE)
_LATER: Final = (
    (re.compile(r"\bI(?:'m|\s+am)\b"), "they are"),
    (re.compile(r"\bI\s+was\b"), "they were"),
    (re.compile(r"\bI\s+wasn't\b"), "they weren't"),
    (re.compile(r"\bI\b"), "they"),
    (re.compile(r"\bmy\b", re.IGNORECASE), "their"),
    (re.compile(r"\bmine\b", re.IGNORECASE), "theirs"),
    (re.compile(r"\bmyself\b", re.IGNORECASE), "themself"),
    (re.compile(r"\bme\b"), "them"),
)

_NAMELESS: Final = ("me", "I")


class Told(NamedTuple):
    """A clause as it is told: in the third person, or to be quoted; by whom it was said."""

    text: str
    speaker: str
    is_quoted: bool
    clause: Clause


def language_of(said: Sequence[Spoken]) -> str:
    """Return the language of a stretch; English where it is open."""
    text = " ".join(one.text[:400] for one in said[:60]).casefold()
    if len(_CYRILLIC.findall(text)) > len(text) / 5:
        return "ru"
    words = _LETTERS.findall(text)
    counts = {name: sum(map(known.__contains__, words)) for name, known in _WORDS.items()}
    return max(counts, key=lambda name: counts[name])


def tell(clause: Clause, message: Spoken, language: str) -> Told:
    """Return a clause without its filler, its relative days dated, in the third person if safe."""
    bare = cues.FILLER.sub("", clause.text) or clause.text
    bare = dated(bare.strip(" ,;:–—-"), message.at, language)
    bare = bare[:1].upper() + bare[1:]
    if language == "en" and not message.is_agent:
        reported = in_third_person(bare, message.speaker)
        if reported:
            return Told(reported, message.speaker, False, clause)
    return Told(bare, message.speaker, True, clause)


def in_third_person(text: str, speaker: str) -> str | None:
    """Return an English clause of the speaker's own in the third person: `I moved` -> `Anna moved`.

    None where it is not safely turned: it addresses somebody, speaks of `we`, its verb is none that
    is known, or who said it has no name, as in a chat with oneself.
    """
    plain = text.replace("’", "'")
    if speaker in _NAMELESS or cues.YOU.search(plain) or _US.search(plain):
        return None
    if _QUOTED.search(plain) or "?" in plain:
        return None
    if mine := _MINE.match(plain):
        return f"{speaker}'s {_later(plain[mine.end() :])}"
    if not (begun := _BEGINS.match(plain)):
        return None
    rest = _later(plain[begun.end() :])
    said = begun["said"] or ""
    if begun["am"]:
        return f"{speaker} is{rest}"
    if begun["have"]:
        return f"{speaker} has{rest}"
    if begun["will"]:
        return f"{speaker} will{rest}"
    if begun["dont"]:
        return f"{speaker} {said}doesn't{rest}"
    verb = begun["same"] or _third(begun["base"])
    return f"{speaker} {said}{verb}{rest}"


def _later(text: str) -> str:
    for pattern, put in _LATER:
        text = pattern.sub(put, text)
    return text


def _third(verb: str) -> str:
    if verb.endswith("y") and verb[-2] not in "aeou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "sh", "ch", "x", "o")) else f"{verb}s"


def paragraph(told: Sequence[Told], language: str) -> str:
    """Return clauses as sentences: what one person says on end is quoted once."""
    opening, closing = _QUOTES[language]
    parts: list[str] = []
    at = 0
    while at < len(told):
        run = [told[at]]
        while at + len(run) < len(told) and _goes_on(run[-1], told[at + len(run)]):
            run.append(told[at + len(run)])
        at += len(run)
        joined = _joined(run)
        if run[0].is_quoted:
            joined = f"{run[0].speaker}: {opening}{joined}{closing}"
        parts.append(joined)
    return " ".join(parts)


def sentence(told: Told, language: str) -> str:
    """Return one clause as a sentence that stands alone."""
    return paragraph([told], language)


def _goes_on(one: Told, other: Told) -> bool:
    return one.is_quoted and other.is_quoted and one.speaker == other.speaker


def _joined(run: Sequence[Told]) -> str:
    pairs: list[tuple[Told | None, Told]] = [(None, run[0]), *pairwise(run)]
    text = ""
    for before, each in pairs:
        if before is None:
            text = each.text
        elif before.clause.sentence == each.clause.sentence:
            gap = ", " if before.clause.place + 1 == each.clause.place else " … "
            text = text.rstrip(".,;:") + gap + each.text[:1].lower() + each.text[1:]
        else:
            text = f"{_ended(text)} {each.text}"
    return _ended(text)


def _ended(text: str) -> str:
    bare = text.rstrip(" ,;:–—-")
    return bare if bare[-1:] in ".!?…" else f"{bare}."
