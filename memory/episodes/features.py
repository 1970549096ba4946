"""What speaks for a new topic before one turn of a chat: similarities, words, cues. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from memory.episodes.cues import Cues
from memory.text.lexical import searchable

Vector = npt.NDArray[np.float32]

BEFORE: Final = 8
"""How many turns before a gap are looked at, at most; never beyond the last boundary."""
AFTER: Final = 3
"""How many turns after a gap are looked at: a shift has to last. The first of them is the gap's."""

_PAUSES_H: Final = (2 / 60, 10 / 60, 0.5, 1.5, 4.0)
"""Where buckets of pauses begin, in hours: they grow as pauses do."""

_LONG_TURN: Final = 15
_STEM: Final = 5
_WORD: Final = re.compile(r"[^\W\d_]{3,}|\d{2,}")
_ALL_WORDS: Final = re.compile(r"\w+")
# Words so frequent that two turns share them by chance; short ones are left out by length.
_COMMON: Final = frozenset(
    """the and you for are that this with have what will was can your would like any there please
    yes they from not but how get want need all one some about which does did where when who him
    her she his its our out just know been also too than then them here has had were let sure
    could should into more much very really think good going
    что как это так его для вот был была мне меня тебя есть только уже если или они она под при
    der die das und ist nicht ein eine ich sie mit für auf den dem von wie auch aber dann noch
    hast habe haben kann wir mir dir sich
    que los las una por con para más pero como esta está del sus tiene hay ese
    não uma com mais mas você está dos das ele ela isso
    les des une est pas pour dans qui sur avec plus mais sont elle vous nous tout
    che non una per con sono del della anche come più alla""".split()
)


@dataclass(frozen=True, slots=True)
class Seen:
    """One turn as it is kept while its neighbourhood is undecided.

    `speaker` is empty and `waited`, the hours since the turn before, None where nobody knows.
    """

    vector: Vector
    words: frozenset[str]
    length: int
    cues: Cues
    speaker: str = ""
    waited: float | None = None


class Scale(NamedTuple):
    """What similarity is usual in this chat: its mean vector, mean and deviation of cosines."""

    centre: Vector
    mean: float
    deviation: float


class Features(NamedTuple):
    """Evidence about one gap. Similarities are in the chat's own deviations from its own mean.

    Of the turns before and after: means over so many of them (`one_one` to `eight_three`), the
    best that each turn after has before (`first` to `third`), neighbours on one side, and the gaps
    beside this one. `usual` and `spread` are the chat's mean and deviation.
    """

    one_one: float
    two_two: float
    three_three: float
    five_three: float
    eight_three: float
    first: float
    second: float
    third: float
    best: float
    after: float
    after_next: float
    before: float
    gap_before: float
    gap_after: float
    shared: float
    shared_first: float
    shared_later: float
    length: float
    length_before: float
    length_after: float
    asked: float
    asks: float
    opens: float
    closed: float
    goes_on: float
    aside: float
    start: float
    usual: float
    spread: float
    age: float
    timeless: float
    at_once: float
    minutes: float
    quarter: float
    hour: float
    hours: float
    half_day: float
    same_speaker: float
    speakers_known: float


def words_of(text: str) -> frozenset[str]:
    """Return the stems by which turns are compared: content words cut after five letters."""
    return frozenset(
        word[:_STEM] for word in _WORD.findall(searchable(text.lower())) if word not in _COMMON
    )


def length_of(text: str) -> int:
    """Count the words of a text."""
    return len(_ALL_WORDS.findall(searchable(text)))


def features(before: Sequence[Seen], after: Sequence[Seen], scale: Scale, age: int) -> Features:
    """Describe one gap.

    Args:
        before: the turns of this topic before the gap, 1 to `BEFORE`, in order.
        after: the turns after it, 1 to `AFTER`, in order.
        scale: what is usual in this chat.
        age: turns of this topic before the gap.
    """
    first, last = after[0], before[-1]
    return Features._make(
        [
            *_similarities(before, after, scale),
            *_shared(before, after),
            _length(first),
            _length(last),
            _length(after[1]) if len(after) > 1 else 0.0,
            float(last.cues.asks and not last.cues.closes),
            float(first.cues.asks),
            float(first.cues.opens),
            float(last.cues.closes),
            float(first.cues.goes_on),
            float(first.cues.aside),
            float(len(before) < 2),
            scale.mean,
            scale.deviation,
            math.log1p(age) / 3,
            *_pause(first.waited),
            float(bool(first.speaker) and first.speaker == last.speaker),
            float(bool(first.speaker and last.speaker)),
        ]
    )


def _similarities(before: Sequence[Seen], after: Sequence[Seen], scale: Scale) -> list[float]:
    """Return the similarities of `Features`, in its order."""
    around = _centred([*before, *after], scale.centre)
    lefts, rights = len(before), len(after)
    unit = _unit(np.concatenate([around, _means(lefts, rights) @ around]))
    left, right, rows = unit[:lefts], unit[lefts : lefts + rights], unit[lefts + rights :]
    each = left @ right.T
    two, three, five, eight, next_two, next_three, across, earlier, later = rows
    fits = [float(each[-4:, at].max()) for at in range(rights)]
    fits += [fits[-1]] * (AFTER - rights)
    found = [
        float(each[-1, 0]),
        float(two @ next_two),
        float(three @ next_three),
        float(five @ next_three),
        float(eight @ next_three),
        *fits,
        float(each[-5:].max()),
    ]
    beside = [
        (float(right[0] @ right[1]) if rights > 1 else None),
        (float(right[1] @ right[2]) if rights > 2 else None),
        (float(left[-1] @ left[-2]) if lefts > 1 else None),
        (float(earlier @ across) if lefts > 1 else None),
        (float(across @ later) if rights > 1 else None),
    ]
    return [
        0.0 if cosine is None else (cosine - scale.mean) / scale.deviation
        for cosine in (*found, *beside)
    ]


@lru_cache(maxsize=BEFORE * AFTER)
def _means(lefts: int, rights: int) -> Vector:
    """Return what makes, of so many turns before and after a gap, the means that are compared.

    Of the last two, three, five and eight before, the first two and three after, those beside the
    gap, and the two beside these on either side, (9, turns); zeros where there are none.
    """
    turns = lefts + rights
    spans = [
        *((max(0, lefts - width), lefts) for width in (2, 3, 5, 8)),
        *((lefts, min(turns, lefts + width)) for width in (2, 3)),
        (lefts - 1, lefts + 1),
        (max(0, lefts - 3), lefts - 1),
        (lefts + 1, min(turns, lefts + 3)),
    ]
    means = np.zeros((len(spans), turns), np.float32)
    for row, (begin, end) in zip(means, spans, strict=True):
        row[begin:end] = 1 / max(1, end - begin)
    return means


def _shared(before: Sequence[Seen], after: Sequence[Seen]) -> tuple[float, float, float]:
    said = frozenset[str]().union(*(one.words for one in before[-4:]))
    says = frozenset[str]().union(*(one.words for one in after))
    later = frozenset[str]().union(*(one.words for one in after[1:]))
    first = after[0].words
    return (
        len(said & says) / (1 + min(len(said), len(says))),
        len(said & first) / (1 + len(first)),
        len(said & later) / (1 + min(len(said), len(later))),
    )


def _pause(waited: float | None) -> list[float]:
    """Return in which bucket a pause is, `timeless` first: nobody knows."""
    at = 0 if waited is None else 1 + sum(waited >= begin for begin in _PAUSES_H)
    return [float(place == at) for place in range(len(_PAUSES_H) + 2)]


def _length(seen: Seen) -> float:
    return min(seen.length, _LONG_TURN) / _LONG_TURN


def _centred(turns: Sequence[Seen], centre: Vector) -> Vector:
    return np.stack([one.vector for one in turns]) - centre


def _unit(rows: Vector) -> Vector:
    """Return vectors, along the last axis, at unit length; zero stays zero."""
    norms = np.sqrt((rows * rows).sum(-1, keepdims=True))
    unit: Vector = rows / np.maximum(norms, np.float32(1e-9))
    return unit
