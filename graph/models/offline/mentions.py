"""What was said of somebody or something, or at a time, where a question asks for all of it. Pure.

"What did I tell you about Jo?", "everything about food", "what did I write on 22 November?"
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final

from graph.models.offline.candidates import AGENT, Candidate
from graph.models.offline.choosing import Chosen
from graph.models.offline.cues import relatives_named
from graph.models.offline.glossed import in_english
from graph.models.offline.kinds import names_in
from graph.models.offline.words import shorten, statements
from memory.facts.entities.answering import asks_all_of_somebody
from memory.recall.aliases import BEINGS, by_name
from memory.recall.block import FactLine
from memory.recall.questions import only_asks
from memory.text.dates import spans, without_times
from memory.text.words import content_stems, normalise

MAX_MENTIONS: Final = 4
MAX_SAID_THEN: Final = 6
_ABOUT: Final = re.compile(r"\babout (?!me\b|myself\b|us\b)\w+")
_TELL: Final = r"(?:tell|told|say|said|mention(?:ed)?|write|written|wrote)"
_SAID: Final = re.compile(
    rf"\b(?:i|we) (?:ever |have )*{_TELL}(?: you)? (?:about|of)\b"
    rf"|\bwhat (?:did|have) \w+ {_TELL}(?: \w+)? (?:about|of)\b"
)
_BY_ASKER: Final = re.compile(rf"\b(?:did|have|do) i\b|\bi (?:\w+ ){{0,2}}{_TELL}\b")
_SAID_ELSEWHERE: Final = re.compile(
    r"\b(?:über|von) \w+(?: \w+){0,2} (?:erzählt|gesagt|geschrieben)\b"
    r"|\b(?:conté|contado|dije|dicho|escribí)(?: \w+)? (?:de|sobre) (?!m[ií]\b)\w+"
    r"|\b(?:contei|disse|falei|escrevi)(?: \w+)? (?:d[eoa]s?|sobre) (?!mim\b)\w+"
    r"|\b(?:рассказывал|рассказал|говорил|сказал|писал)а?(?: \w+)? (?:о|об|про) (?!себ|мне)\w+"
)
"""The same in German, Spanish, Portuguese and Russian."""
_SAYING: Final = content_stems(
    "everything anything something all say said tell told mention mentioned write wrote written"
    " talk talked do did done happen happened list show know day date been going go up on me you i"
    " dir te lhe тебе"
    " alles was habe hat erzählt gesagt geschrieben gemacht passiert war über von am im"
    " todo qué que dije conté contado dicho escribí hice pasó hacer sobre de el la en"
    " tudo disse contei escrevi fiz aconteceu o a no na em"
    " всё что рассказал рассказала говорил говорила сказал сказала писал писала делал делала было"
    " случилось про о об в"
)
"""Stems that a question for what was said has beside what it is about."""


def asks_about(question: str) -> bool:
    """Tell whether a question asks for all that was said about something but the asker."""
    if _SAID_ELSEWHERE.search(normalise(question)):
        return True
    line = in_english(question)
    return bool(_ABOUT.search(line) and (_SAID.search(line) or "everything" in line.split()))


def beings_named(question: str, facts: Sequence[FactLine]) -> list[FactLine]:
    """Return the people and pets of the asker whom a question names, to ask all about them."""
    if not asks_all_of_somebody(question):
        return []
    words = content_stems(question)
    return [each for each in facts if each.key in BEINGS and words & content_stems(each.value)]


def mentioning(
    question: str, known: Sequence[Candidate], facts: Sequence[FactLine]
) -> list[Chosen]:
    """Return the sentences that name what a question asks all about, in order of time.

    At most `MAX_MENTIONS`: those that are likeliest to answer, then the newest. A relative is named
    by a noun or, where `facts` tell it, by name; whatever else has several words is named by all.
    """
    if not (asks_about(question) or asks_all_of_somebody(question)):
        return []
    by_names = by_name(question, [fact for fact in facts if ": " not in fact.key])
    named = relatives_named(question) | (content_stems(by_names) - content_stems(question))
    named |= frozenset().union(*(content_stems(name) for name in names_in(question)))
    topic = content_stems(question) - _SAYING
    found: dict[str, Chosen] = {}
    for each in _of_speakers(question, known):
        for sentence in statements(each.text):
            words = content_stems(sentence)
            is_of = bool(named & words) if named else bool(topic) and topic <= words
            if is_of and not only_asks(sentence):
                found.setdefault(sentence, Chosen(each, shorten(sentence), each.chance))
    newest = sorted(found.values(), key=_when, reverse=True)
    best = sorted(newest, key=lambda chosen: -chosen.score)[:MAX_MENTIONS]
    return sorted(best, key=_when)


def said_then(question: str, known: Sequence[Candidate], now: datetime | None) -> list[Chosen]:
    """Return what was said in the time that a question names, where it asks for nothing else.

    Of whom it names, where it names a speaker. At most `MAX_SAID_THEN`, in order of time.
    """
    named = spans(question, now) if now else []
    if not named or now is None:
        return []
    asked = content_stems(without_times(question, now)) - _SAYING
    found = [
        Chosen(each, shorten(each.text), each.chance)
        for each in _of_speakers(question, known)
        if each.when
        and asked <= content_stems(each.speaker)
        and any(span.start <= each.when < span.end for span in named)
        and not (only_asks(each.text) or asks_about(each.text))
    ]
    best = sorted(found, key=lambda chosen: -chosen.score)[:MAX_SAID_THEN]
    return sorted(_once(best), key=_when)


def _of_speakers(question: str, known: Sequence[Candidate]) -> list[Candidate]:
    """Return what people said: of what the asker said where that is asked for, nobody else's."""
    is_own = bool(_BY_ASKER.search(in_english(question)))
    return [c for c in known if c.author != AGENT and not (is_own and c.is_other_person)]


def _once(found: Sequence[Chosen]) -> Collection[Chosen]:
    return {chosen.excerpt: chosen for chosen in found}.values()


def _when(chosen: Chosen) -> str:
    when = chosen.candidate.when
    return when.isoformat() if when else "9"
