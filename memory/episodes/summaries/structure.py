"""What a summary holds beside its text: topic, people, points by kind, links and media. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from memory.domain.episodes import Point, Spoken
from memory.episodes.features import words_of
from memory.episodes.summaries import cues
from memory.episodes.summaries.scoring import Weighed
from memory.text.words import STOP_WORDS

MAX_PEOPLE: Final = 12
MAX_ARTIFACTS: Final = 12
_TOPIC_WORDS: Final = 5
_PHRASE: Final = 3
_TOKEN: Final = re.compile(r"[^\W\d_]{3,}(?:-[^\W\d_]+)*|[^\w\s'’]+|[\w'’]+")
_NO_TOPIC: Final = re.compile(
    rf"{cues.CHATS.pattern}|{cues.AGREES.pattern}|{cues.TIMES.pattern}", re.IGNORECASE
)


def kind_of(weighed: Weighed, message: Spoken) -> str:
    """Return what a clause is: question, decision, todo, fact; empty for what the agent said."""
    if message.is_agent:
        return ""
    if weighed.clause.asks:
        return "question" if weighed.is_open else ""
    if weighed.evidence.wonders:
        return "question"
    if weighed.evidence.decides and not weighed.evidence.hedges:
        return "decision"
    return "todo" if weighed.evidence.promises else "fact"


def topic_of(said: Sequence[Spoken]) -> str:
    """Return a label of at most five of the stretch's own words; empty where it has none.

    Source: phrases between stop words, by the frequency of their words, as RAKE has them (Rose et
    al., Automatic Keyword Extraction from Individual Documents, 2010); here by messages.
    """
    spread: Counter[str] = Counter()
    phrases: dict[str, tuple[str, ...]] = {}
    for one in said:
        found = _phrases(one.text[:2_000])
        spread.update({stem for phrase in found for stem in _stems(phrase)})
        if not one.is_agent or not phrases:
            for phrase in found:
                phrases.setdefault(" ".join(phrase).casefold(), phrase)
    scored = sorted(
        phrases.values(),
        key=lambda phrase: (
            -sum(spread[stem] for stem in _stems(phrase)) / (len(phrase) + 1) ** 0.5,
            -len(phrase),
        ),
    )
    chosen: list[str] = []
    told: set[str] = set()
    for phrase in scored:
        stems = set(_stems(phrase))
        if stems and not stems & told and len(" ".join([*chosen, *phrase]).split()) <= _TOPIC_WORDS:
            chosen.append(" ".join(phrase))
            told |= stems
        if len(chosen) == 2:
            break
    return ", ".join(chosen)


def _stems(phrase: Sequence[str]) -> list[str]:
    return sorted(words_of(" ".join(phrase)))


def _phrases(text: str) -> list[tuple[str, ...]]:
    """Return the runs of content words of a text, at most three words each."""
    found: list[tuple[str, ...]] = []
    run: list[str] = []
    for token in [*_TOKEN.findall(cues.MEDIA.sub(" . ", cues.LINK.sub(" . ", text))), "."]:
        plain = token.casefold().replace("’", "'")
        is_word = token[0].isalpha() and len(plain) > 2 and plain.replace("'", "") not in STOP_WORDS
        if is_word and words_of(plain) and not _NO_TOPIC.match(plain):
            run.append(token)
            continue
        if run:
            found.append(tuple(run[:_PHRASE]))
        run = []
    return found


def people_of(said: Sequence[Spoken]) -> tuple[str, ...]:
    """Return who speaks, the agent left out, in the order of their first words."""
    return tuple(dict.fromkeys(one.speaker for one in said if not one.is_agent))[:MAX_PEOPLE]


def artifacts_of(said: Sequence[Spoken]) -> tuple[Point, ...]:
    """Return links and media, each once, with the messages that hold them."""
    found: dict[str, list[str]] = {}
    for one in said:
        text = one.text[:4_000]
        for artifact in (*cues.LINK.findall(text), *cues.MEDIA.findall(text)):
            uids = found.setdefault(artifact.rstrip(".,;:!?"), [])
            if one.uid not in uids:
                uids.append(one.uid)
    return tuple(Point(text, tuple(uids)) for text, uids in [*found.items()][:MAX_ARTIFACTS])
