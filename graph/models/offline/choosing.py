"""Which sentences of what may be quoted answer a question. Pure.

A sentence scores by how likely the search has its message answer, by the words of the question that
it has, the rarer the heavier, and by whether it tells the kind of thing that is asked for. Where no
vector tells how likely, the message's place in the ranking takes its part.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graph.models.offline.candidates import Candidate
from graph.models.offline.cues import relatives_named
from graph.models.offline.kinds import Kind, kind_of, names_in
from graph.models.offline.speech import is_question_sentence
from graph.models.offline.words import statements
from memory.recall.certainty import log_odds
from memory.recall.questions import only_asks
from memory.text.words import content_stems

MAX_WORDS: Final = 35
"""So much of one message is quoted, in words; of each of a list `LISTED_WORDS`."""
LISTED_WORDS: Final = 20
MAX_SHOWN: Final = 2
MAX_LISTED: Final = 6

# Weights beside coverage, which is 0 to 1. That of the chance was chosen on the training chats, the
# others are rounded from a least-squares fit of a sentence's share of the answer's words, over the
# same (docs/retrieval.md).
_CHANCE: Final = 0.25  # times the logarithm of the chance that the message answers
_QUOTED: Final = 0.5  # the chance of a line that the question quotes: it is not searched for
_NO_CHANCE: Final = 0.03  # that of the window's lines and of facts' sources, which are not either
_PLACE: Final = 0.3  # divided by the place, from 1, where no chance is told
_KIND: Final = 0.3
_NEW: Final = 0.1  # it says something that the question does not, up to `_NEW_WORDS`
_NEW_WORDS: Final = 8
_LENGTH: Final = 0.1  # up to `_LONG`
_LONG: Final = 40
_ASKS: Final = -0.1

_CERTAINTY: Final = 2.0  # times the log odds of the memory's certainty
LEAST_SCORE: Final = 0.1
"""With less, nothing is told: chosen on the training chats (docs/retrieval.md)."""
LEAST_WORDS: Final = 0.8
"""The same where words alone decide."""
_NEIGHBOUR_WEIGHT: Final = 0.25  # a word found only in the message before or after
_UNSEEN_DF: Final = 0.5
_SECOND_BELOW: Final = 0.5  # a second one is told where it scores at most this less than the first
_SECOND_BY_WORDS: Final = 0.3  # the same where words alone decide
_LIKELY_TOO: Final = 0.25  # of a list what has none of the question's words is so likely, at least
_LISTED_BELOW: Final = 0.8
_SAME: Final = 0.7  # share of words in common with one that is told: a near-repeat

_SHARED_LETTERS: Final = 5
_ENDING_LETTERS: Final = 3


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is told of a candidate: an excerpt of it, word for word, and how well it fits."""

    candidate: Candidate
    excerpt: str
    score: float


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question's words with their weights; `topic` are those that name no speaker.

    `guided`: memory tells how likely messages answer.
    """

    weight: dict[str, float]
    topic: frozenset[str]
    kind: Kind
    guided: bool

    @property
    def below(self) -> float:
        """How much less than the first what is told beside it may score."""
        if self.kind.wants_list:
            return _LISTED_BELOW
        return _SECOND_BELOW if self.guided else _SECOND_BY_WORDS

    def coverage(self, own: frozenset[str], near: frozenset[str] = frozenset()) -> float:
        """Return the share of the weight that words have, those near counting less."""
        there = _common(self.weight, own)
        beside = _common(self.weight, near) - there
        held = sum(self.weight[w] for w in there)
        held += _NEIGHBOUR_WEIGHT * sum(self.weight[w] for w in beside)
        return held / sum(self.weight.values())


def fitting(
    question: str, candidates: Sequence[Candidate], certainty: float | None = None
) -> list[Chosen]:
    """Return what answers a question, best first, or in order of time where it asks for several.

    At most `MAX_SHOWN`, or `MAX_LISTED`; nothing where nothing fits well enough, for which
    `certainty`, the memory's own, counts as well. What the search does not have for likely answers
    only with a word of the question. Texts that only ask are left out, unless they were replied to.
    On equal scores the order given decides.
    """
    words = content_stems(question)
    relatives = relatives_named(question)
    if _names_a_stranger(question, candidates):
        return []
    told = [c for c in candidates if (c.reply or not only_asks(c.text)) and _is_about(c, relatives)]
    if not words or not told:
        return []
    texts = [content_stems(f"{c.text} {c.reply}") for c in told]
    speakers = [content_stems(c.speaker) for c in told]
    names = frozenset[str]().union(*speakers)
    # A speaker's name alone says who spoke, not that the message is about what is asked.
    topic, guided = (words - names) or words, certainty is not None
    asked = _Asked(_weights(words, texts), topic, kind_of(question), guided)
    found = [
        _best_of(candidate, asked, speaker)
        for candidate, text, speaker in zip(told, texts, speakers, strict=True)
        if (guided and candidate.chance) or _common(asked.topic, text | speaker)
    ]
    found.sort(key=lambda chosen: -chosen.score)
    return _told(found, asked) if found and _is_sure(found[0].score, certainty) else []


def _is_sure(score: float, certainty: float | None) -> bool:
    if certainty is None:
        return score >= LEAST_WORDS
    return score + _CERTAINTY * log_odds(certainty) >= LEAST_SCORE


def _names_a_stranger(question: str, candidates: Iterable[Candidate]) -> bool:
    """Tell whether a question names somebody, or something, that no text names."""
    named = frozenset[str]().union(*(content_stems(name) for name in names_in(question)))
    if not named:
        return False
    texts = (content_stems(f"{c.text} {c.speaker} {c.around} {c.reply}") for c in candidates)
    return bool(named - set[str]().union(*(_common(named, text) for text in texts)))


def _told(found: Sequence[Chosen], asked: _Asked) -> list[Chosen]:
    """Return those that are told, near-repeats once."""
    kept: list[Chosen] = []
    likely = _LIKELY_TOO * max(chosen.candidate.chance for chosen in found)
    for chosen in found:
        is_near = chosen.score >= found[0].score - asked.below
        if is_near and _belongs(chosen, asked, likely) and not _is_repeat(chosen, kept):
            kept.append(chosen)
    if not asked.kind.wants_list:
        return kept[:MAX_SHOWN]
    return sorted(kept[:MAX_LISTED], key=_time_of)


def _belongs(chosen: Chosen, asked: _Asked, likely: float) -> bool:
    """Tell whether one of a list has a word of the question, or is likely enough without."""
    if not asked.kind.wants_list or chosen.candidate.chance >= likely:
        return True
    return bool(_common(asked.topic, content_stems(chosen.candidate.text)))


def _time_of(chosen: Chosen) -> tuple[bool, datetime]:
    when = chosen.candidate.when
    return when is None, when or datetime.min


def _best_of(candidate: Candidate, asked: _Asked, speaker: frozenset[str]) -> Chosen:
    """Return the sentence of a message that answers best, with those beside it that fit in."""
    parts = statements(candidate.text) or [candidate.text]
    prior = _PLACE / (1 + candidate.place)
    if asked.guided:
        prior = _CHANCE * math.log(_chance(candidate))
    near = content_stems(candidate.around)
    scores = [_score(part, asked, speaker, near) + prior for part in parts]
    best = max(range(len(parts)), key=lambda i: scores[i])
    limit = LISTED_WORDS if asked.kind.wants_list else MAX_WORDS
    return Chosen(candidate, _excerpt(parts, best, limit, asked), scores[best])


def _chance(candidate: Candidate) -> float:
    is_quoted = candidate.source is not None and candidate.source.kind == "quote"
    return candidate.chance or (_QUOTED if is_quoted else _NO_CHANCE)


def _score(sentence: str, asked: _Asked, speaker: frozenset[str], near: frozenset[str]) -> float:
    words = content_stems(sentence)
    new = words - asked.weight.keys()
    score = asked.coverage(words | speaker, near)
    score += _KIND * asked.kind.told_by(sentence, frozenset(asked.weight))
    score += _NEW * min(len(new), _NEW_WORDS) / _NEW_WORDS
    score += _LENGTH * min(len(sentence.split()), _LONG) / _LONG
    return score + _ASKS * is_question_sentence(sentence)


def _excerpt(parts: Sequence[str], at: int, limit: int, asked: _Asked) -> str:
    """Return a sentence with what follows and precedes it, as far as there is room."""
    words = parts[at].split()
    if len(words) > limit:
        return _cut(words, limit, asked)
    first, last, left = at, at, limit - len(words)
    while last + 1 < len(parts) and (need := len(parts[last + 1].split())) <= left:
        last, left = last + 1, left - need
    while first and (need := len(parts[first - 1].split())) <= left:
        first, left = first - 1, left - need
    return " ".join(" ".join(parts[first : last + 1]).split())


def _cut(words: Sequence[str], limit: int, asked: _Asked) -> str:
    """Return so many words of a long sentence as hold most of what is asked."""
    held = [sum(asked.weight[w] for w in _common(asked.weight, content_stems(x))) for x in words]
    most = max(range(len(words) - limit + 1), key=lambda i: sum(held[i : i + limit]))
    there = [i for i in range(most, most + limit) if held[i]] or [most]
    middle = (there[0] + there[-1]) // 2
    start = min(max(0, middle - limit // 2), len(words) - limit)
    shown = " ".join(words[start : start + limit])
    return f"{'…' * (start > 0)}{shown}{'…' * (start + limit < len(words))}"


def _is_repeat(chosen: Chosen, kept: Iterable[Chosen]) -> bool:
    words = content_stems(chosen.excerpt)
    others = (content_stems(other.excerpt) for other in kept)
    return any(len(words & other) >= _SAME * len(words | other) for other in others)


def _is_about(candidate: Candidate, relatives: frozenset[str]) -> bool:
    return not relatives or bool(
        relatives & content_stems(f"{candidate.text} {candidate.speaker} {candidate.around}")
    )


def _weights(asked: frozenset[str], texts: Sequence[frozenset[str]]) -> dict[str, float]:
    """Return the weight of each asked word: log(1 + N / df), as idf does.

    Source: Spärck Jones 1972, smoothed so that a word of every text still counts.
    """
    seen = [_common(asked, text) for text in texts]
    return {
        word: math.log(1 + len(texts) / (sum(word in text for text in seen) or _UNSEEN_DF))
        for word in sorted(asked)
    }


def _common(asked: Iterable[str], words: frozenset[str]) -> set[str]:
    """Return the asked words that are among others, in another form, too.

    Stems are English ones: what German, Spanish, Portuguese and Russian words share is their
    beginning.
    """
    # Few words begin alike: this is asked for every sentence.
    starts = {word[:_SHARED_LETTERS] for word in words}
    return {
        a
        for a in asked
        if a in words
        or (a[:_SHARED_LETTERS] in starts and any(_is_form(a, word) for word in words))
    }


def _is_form(one: str, other: str) -> bool:
    least = max(_SHARED_LETTERS, max(len(one), len(other)) - _ENDING_LETTERS)
    return one[:least] == other[:least] and min(len(one), len(other)) >= least
