"""Where topics of a chat begin (T2), decided turn by turn with at most two turns of delay. Pure.

A new episode starts at a turn after a long gap in time, at words that name a change of topic, or
where the topic shifts and the shift lasts: the turn and the two after it differ from those before
it, more than its neighbours' gaps do. How much is different is measured against the chat's own
mean and deviation.
Source: lexical cohesion and depth of valleys, Hearst, TextTiling (1997), on sentence vectors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

import numpy as np

from memory.episodes.cues import Cues, read_cues
from memory.episodes.features import (
    AFTER,
    BEFORE,
    Features,
    Scale,
    Seen,
    Vector,
    features,
    length_of,
    words_of,
)
from memory.episodes.weights import (
    ASIDE,
    PRIOR_DEVIATION,
    PRIOR_GAPS,
    PRIOR_MEAN,
    PRIOR_TURNS,
    THRESHOLD,
    THRESHOLD_OF_SHORT,
    score_of,
)

EPISODE_GAP_H: Final = 8.0
"""Silence after which an episode is over, in hours. Source: T2."""
SHORTEST: Final = 2
"""Turns an episode has at least, unless time or words end it: less would be flapping."""
LONG_WORDS: Final = 120
"""A question and its answer may be a matter of its own, where they have so many words."""
LONGEST: Final = 500
"""Turns an episode has at most: what is read again for its summary is bounded."""
_KEPT: Final = BEFORE + AFTER
_REMEMBERED: Final = 100
"""What is usual is averaged over about so many turns, so that an old chat can still change."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message: its vector (any dimension, one for all), text, when it was sent, and by whom."""

    vector: Vector
    text: str
    at: datetime | None = None
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Tracker:
    """What is remembered between turns: the last few, sums, and where the open episode began.

    `recent` are the last turns, `count` how many there were, `start` the index of the open
    episode's first turn, `decided` of the first turn whose gap is open. `last_score`
    is the score of the gap before it; the rest are sums behind the chat's usual similarity.
    """

    recent: tuple[Seen, ...] = ()
    count: int = 0
    start: int = 0
    decided: int = 1
    last_at: datetime | None = None
    last_score: float = -math.inf
    total: Vector | None = None
    turns: float = 0.0
    gaps: float = 0.0
    near_sum: float = 0.0
    near_squares: float = 0.0


@dataclass(frozen=True, slots=True)
class Gap:
    """A gap and how much speaks for a new topic there; `aside`: words such as `by the way`.

    `near`: the cosine of the two turns before it and the two after it, beside the chat's mean.
    """

    index: int
    aside: bool
    score: float
    near: float


def segment(turns: Sequence[Turn], gap_h: float = EPISODE_GAP_H) -> list[int]:
    """Return the index of the first turn of every episode but the first, ascending."""
    tracker, found = Tracker(), []
    for turn in turns:
        tracker, boundaries = advance(tracker, turn, gap_h)
        found += boundaries
    return found + settle(tracker)[1]


def advance(
    tracker: Tracker, turn: Turn, gap_h: float = EPISODE_GAP_H
) -> tuple[Tracker, list[int]]:
    """Take in one turn; return the new state, and the boundaries that it decides, ascending.

    A boundary is the index of an episode's first turn, counted from 0 over all turns: this turn
    (time, words) or one of the two before it (a shift that lasted). None is ever taken back.
    Nothing from before a long gap has a say in what comes after it.
    """
    found: list[int] = []
    cues = read_cues(turn.text)
    is_silent = _is_silent(tracker, turn, gap_h)
    breaks = is_silent or _breaks(tracker, cues)
    if breaks:
        tracker, found = settle(tracker)
    if is_silent:
        tracker = afresh(tracker)
    tracker = take_in(tracker, turn, cues)
    if breaks:
        found.append(tracker.count - 1)
        return begin(tracker, tracker.count - 1), found
    while tracker.count - tracker.decided >= AFTER:
        tracker = _decide(tracker, found)
    return tracker, found


def settle(tracker: Tracker) -> tuple[Tracker, list[int]]:
    """Decide what is still open as if nothing followed; return the state and the boundaries.

    A shift of a single last turn is none yet, unless it came with an aside (`by the way`).
    """
    found: list[int] = []
    while tracker.decided < tracker.count:
        tracker = _decide(tracker, found)
    return tracker, found


def evidence_of(tracker: Tracker, index: int) -> Features:
    """Describe the gap before a recent turn by what is known of it so far."""
    before, after = _around(tracker, index)
    return features(before, after, _scale(tracker), index - tracker.start)


def weigh(tracker: Tracker, index: int) -> Gap:
    """Score the gap before a recent turn by what is known of it so far."""
    return gap_of(index, evidence_of(tracker, index))


def gap_of(index: int, evidence: Features) -> Gap:
    """Score the gap before a recent turn by the evidence about it."""
    score = score_of(evidence) + ASIDE * evidence.aside
    near = evidence.two_two * evidence.spread + evidence.usual
    return Gap(index, evidence.aside > 0, score, near)


def _is_silent(tracker: Tracker, turn: Turn, gap_h: float) -> bool:
    waited = _waited(tracker, turn)
    return waited is not None and waited > timedelta(hours=gap_h)


def _breaks(tracker: Tracker, cues: Cues) -> bool:
    if not tracker.count:
        return False
    turns = tracker.count - tracker.start
    return turns >= LONGEST or cues.changes or (cues.names and turns > SHORTEST)


def _waited(tracker: Tracker, turn: Turn) -> timedelta | None:
    return turn.at - tracker.last_at if turn.at and tracker.last_at else None


def take_in(tracker: Tracker, turn: Turn, cues: Cues) -> Tracker:
    """Add a turn without deciding anything."""
    # Rounded as it is put away (`keeping`), so that whoever goes on decides the same.
    vector = np.asarray(turn.vector, dtype=np.float16).astype(np.float32)
    waited = _waited(tracker, turn)
    seen = Seen(
        vector,
        words_of(turn.text),
        length_of(turn.text),
        cues,
        turn.speaker,
        None if waited is None else waited / timedelta(hours=1),
    )
    kept = 1 - 1 / _REMEMBERED
    return replace(
        tracker,
        recent=(*tracker.recent, seen)[-_KEPT:],
        count=tracker.count + 1,
        last_at=turn.at or tracker.last_at,
        total=vector if tracker.total is None else tracker.total * np.float32(kept) + vector,
        turns=tracker.turns * kept + 1,
    )


def _decide(tracker: Tracker, found: list[int]) -> Tracker:
    """Decide the first open gap by the turns there are."""
    index = tracker.decided
    gap = weigh(tracker, index)
    turns, left = index - tracker.start, tracker.count - index
    is_lasting = left >= SHORTEST or gap.aside
    is_high = gap.score >= tracker.last_score and gap.score > _least(tracker, index)
    # The gap after it is weighed for the few that are high enough: most are not.
    if is_lasting and is_high and turns >= SHORTEST and gap.score >= _following(tracker, index):
        found.append(index)
        return begin(account(tracker, gap), index)
    return account(tracker, gap)


def _following(tracker: Tracker, index: int) -> float:
    """Score the gap after one by what is known of it; the last turn's is none yet."""
    return weigh(tracker, index + 1).score if index + 1 < tracker.count - 1 else -math.inf


def _least(tracker: Tracker, index: int) -> float:
    """Return what a score has to exceed; two short messages alone are no episode of a chat."""
    turns, left = index - tracker.start, tracker.count - index
    if min(turns, left) > SHORTEST:
        return THRESHOLD
    at = index - tracker.count + len(tracker.recent)
    alone = tracker.recent[at - turns : at] if turns <= left else tracker.recent[at:]
    if sum(seen.length for seen in alone) >= LONG_WORDS:
        return THRESHOLD
    return THRESHOLD_OF_SHORT if tracker.last_at is None else math.inf


def account(tracker: Tracker, gap: Gap) -> Tracker:
    """Add the first open gap to what is usual; the next one is open then."""
    kept = 1 - 1 / _REMEMBERED
    return replace(
        tracker,
        decided=gap.index + 1,
        last_score=gap.score,
        gaps=tracker.gaps * kept + 1,
        near_sum=tracker.near_sum * kept + gap.near,
        near_squares=tracker.near_squares * kept + gap.near * gap.near,
    )


def afresh(tracker: Tracker) -> Tracker:
    """Forget what was said before a long gap, but for how many turns there were."""
    return Tracker(count=tracker.count, start=tracker.count, decided=tracker.count + 1)


def begin(tracker: Tracker, index: int) -> Tracker:
    """Let an episode begin at a turn."""
    return replace(tracker, start=index, decided=index + 1, last_score=-math.inf)


def _around(tracker: Tracker, index: int) -> tuple[tuple[Seen, ...], tuple[Seen, ...]]:
    offset = tracker.count - len(tracker.recent)
    first = max(tracker.start, index - BEFORE, offset)
    at = index - offset
    return tracker.recent[first - offset : at], tracker.recent[at : at + AFTER]


def _scale(tracker: Tracker) -> Scale:
    total = tracker.total if tracker.total is not None else np.zeros(1, np.float32)
    gaps = PRIOR_GAPS + tracker.gaps
    mean = (PRIOR_GAPS * PRIOR_MEAN + tracker.near_sum) / gaps
    squares = PRIOR_GAPS * (PRIOR_DEVIATION**2 + PRIOR_MEAN**2) + tracker.near_squares
    deviation = math.sqrt(max(squares / gaps - mean * mean, 1e-4))
    return Scale(total / np.float32(tracker.turns + PRIOR_TURNS), mean, deviation)
