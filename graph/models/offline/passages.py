"""Which earlier message fits a question: overlap of content words, the rarer the heavier. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from graph.models.offline.cues import relatives_named
from graph.models.offline.speech import only_asks
from memory.text.words import content_stems, normalise

MAX_SHOWN = 2

# Share of the question's word weight that a passage must hold. A question about the people of the
# chat may be worded freely; one that names nobody ("the capital of France") has to fit closely,
# since a chance word in common is no answer to it. Set by hand on the table of the tests.
_MIN_COVERAGE_PERSONAL = 0.3
_MIN_COVERAGE_GENERAL = 0.6
_SECOND_TO_FIRST = 0.7  # a second passage is shown when it scores at least this share of the first
_NEIGHBOUR_WEIGHT = 0.25  # a word found only in the message before or after
_UNSEEN_DF = 0.5

_PERSONAL: Final = re.compile(
    r"\b(?:i|me|my|mine|we|us|our|you|your|he|she|his|her|him|they|their|them|im|ive|id"
    r"|ich|mein\w*|mir|mich|mi|mis|yo|je|mon|ma|mes|eu|meu|minha|я|мой|моя|мне|меня)\b"
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text that may answer. `intro` stands before its quote; `around` are its neighbours.

    `reply` is what somebody else said next, where the text ends with a question: `replier` did.
    """

    text: str
    intro: str
    speaker: str = ""
    around: str = ""
    is_other_person: bool = False
    reply: str = ""
    replier: str = ""


def fitting(question: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates that fit a question, best first, at most `MAX_SHOWN`.

    Texts that only ask are left out, unless they were replied to. On equal scores the order given
    decides.
    """
    asked = content_stems(question)
    relatives = relatives_named(question)
    told = [c for c in candidates if (c.reply or not only_asks(c.text)) and _is_about(c, relatives)]
    if not asked or not told:
        return []
    words = [content_stems(f"{c.text} {c.reply}") for c in told]
    speakers = [content_stems(c.speaker) for c in told]
    names = frozenset[str]().union(*speakers)
    weight = _weights(asked, words)
    total = sum(weight.values())
    personal = bool(asked & names) or bool(_PERSONAL.search(normalise(question)))
    least = (_MIN_COVERAGE_PERSONAL if personal else _MIN_COVERAGE_GENERAL) * total
    # A speaker's name alone says who spoke, not that the message is about what is asked.
    topic = (asked - names) or asked
    scored = []
    for index, candidate in enumerate(told):
        own = words[index] | speakers[index]
        near = content_stems(candidate.around) - own
        score = sum(weight[w] for w in asked & own)
        score += _NEIGHBOUR_WEIGHT * sum(weight[w] for w in asked & near)
        if topic & own and score >= least:
            scored.append((score, candidate))
    scored.sort(key=lambda pair: -pair[0])
    kept = [c for score, c in scored if score >= _SECOND_TO_FIRST * scored[0][0]]
    return list({normalise(c.text): c for c in reversed(kept)}.values())[::-1][:MAX_SHOWN]


def _is_about(candidate: Candidate, relatives: frozenset[str]) -> bool:
    return not relatives or bool(
        relatives & content_stems(f"{candidate.text} {candidate.speaker} {candidate.around}")
    )


def _weights(asked: frozenset[str], words: Sequence[frozenset[str]]) -> dict[str, float]:
    """Return the weight of each asked word: log(1 + N / df), as idf does.

    Source: Spärck Jones 1972, smoothed so that a word of every passage still counts.
    """
    return {
        word: math.log(1 + len(words) / (sum(word in text for text in words) or _UNSEEN_DF))
        for word in sorted(asked)
    }
