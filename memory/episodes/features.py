"""What speaks for a new topic before one turn of a chat: similarities, words, cues. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from memory.episodes.cues import Cues
from memory.text.lexical import searchable

Vector = npt.NDArray[np.float32]

BEFORE: Final = 5
"""How many turns before a gap are looked at, at most; never beyond the last boundary."""
AFTER: Final = 3
"""How many turns after a gap are looked at: a shift has to last. The first of them is the gap's."""

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
    """Evidence about one gap. Similarities are in the chat's own deviations from its own mean."""

    broad: float
    near: float
    first: float
    after: float
    before: float
    shared: float
    length: float
    length_before: float
    asked: float
    asks: float
    opens: float
    closed: float
    goes_on: float
    start: float


def words_of(text: str) -> frozenset[str]:
    """Return the stems by which turns are compared: content words cut after five letters."""
    return frozenset(
        word[:_STEM] for word in _WORD.findall(searchable(text.lower())) if word not in _COMMON
    )


def length_of(text: str) -> int:
    """Count the words of a text."""
    return len(_ALL_WORDS.findall(searchable(text)))


def near(before: Sequence[Seen], after: Sequence[Seen], centre: Vector) -> float:
    """Return the cosine of the last two turns before a gap and the first two after it."""
    return _cosine(_mean(before[-2:], centre), _mean(after[:2], centre))


def features(before: Sequence[Seen], after: Sequence[Seen], scale: Scale) -> Features:
    """Describe one gap.

    Args:
        before: the turns of this topic before the gap, 1 to `BEFORE`, in order.
        after: the turns after it, 1 to `AFTER`, in order.
        scale: what is usual in this chat.
    """
    left = np.stack([_unit(one.vector - scale.centre) for one in before])
    right = np.stack([_unit(one.vector - scale.centre) for one in after])
    said = frozenset[str]().union(*(one.words for one in before[-4:]))
    says = frozenset[str]().union(*(one.words for one in after))
    first, last = after[0], before[-1]

    def usual(cosine: float) -> float:
        return (cosine - scale.mean) / scale.deviation

    return Features(
        broad=usual(_cosine(_mean(before[-3:], scale.centre), _mean(after, scale.centre))),
        near=usual(near(before, after, scale.centre)),
        first=usual(float((left[-4:] @ right[0]).max())),
        after=usual(float(right[0] @ right[1])) if len(after) > 1 else 0.0,
        before=usual(float(left[-1] @ left[-2])) if len(before) > 1 else 0.0,
        shared=len(said & says) / (1 + min(len(said), len(says))),
        length=min(first.length, _LONG_TURN) / _LONG_TURN,
        length_before=min(last.length, _LONG_TURN) / _LONG_TURN,
        asked=float(last.cues.asks and not last.cues.closes),
        asks=float(first.cues.asks),
        opens=float(first.cues.opens),
        closed=float(last.cues.closes),
        goes_on=float(first.cues.goes_on),
        start=float(len(before) < 2),
    )


def _mean(turns: Sequence[Seen], centre: Vector) -> Vector:
    total: Vector = np.mean([one.vector for one in turns], axis=0, dtype=np.float32) - centre
    return total


def _unit(vector: Vector) -> Vector:
    norm = math.sqrt(float(vector @ vector))
    return vector / np.float32(norm) if norm > 0 else vector


def _cosine(one: Vector, other: Vector) -> float:
    return float(_unit(one) @ _unit(other))
