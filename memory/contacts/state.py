"""What a contact is like at a moment: read from what is kept of them, and the clock. Pure.

What depends on now (a mood that passes, a streak that ended, silence) is worked out here, each time
it is asked for, so that nothing has to be written while nobody says anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo
from typing import Final

from memory.contacts.course import MOOD_HALF_LIFE_H, halved, strongest
from memory.domain.contacts import MOODS, NEUTRAL, Course, Energy, MoodName, Stage, State

UNMOVED: Final = 0.1
"""Evidence that nobody feels anything in particular. A sure mood falls below it, by half-lives,
after a day and a half."""
LOW_BELOW: Final = 0.4
HIGH_FROM: Final = 0.6
"""Bounds of energy; the middle is 0.5, and a sure frustration or joy reaches the upper one."""

RATE_SHAPE: Final = 1.0
RATE_SCALE_DAYS: Final = 7.0
"""What is expected of somebody of whom nothing is known: back in a week, give or take as much."""
LEAVING: Final = 1.0
STAYING: Final = 3.0
"""One in four leaves after the first day: so it is expected before anything is known."""

ESTABLISHED_BOND: Final = 8.0
ESTABLISHED_DAYS: Final = 21
"""Active days, older ones less, and days since the first: three weeks are more than one matter."""
DEEP_BOND: Final = 30.0
DEEP_DAYS: Final = 90
"""A month of active days within half a year, and a quarter of a year of knowing each other."""
FADING_RISK: Final = 0.5
FADING_AFTER_DAYS: Final = 7
"""More likely gone than not; whoever writes daily is granted a week of holidays."""
DORMANT_RISK: Final = 0.9
DORMANT_AFTER_DAYS: Final = 30
"""Nine to one, and silent for a month."""
GONE_AFTER_DAYS: Final = 365
"""Dormant whatever the habit: nobody's habit is to come once a year."""

HOURS_SHARE: Final = 0.8
HOURS_LEAST: Final = 5.0
"""Usual hours hold four fifths of what is written; nothing is usual before five messages."""


def state_of(course: Course | None, now: datetime, zone: tzinfo) -> State:
    """Return what a contact is like at a moment; of None what is true of a stranger."""
    if course is None:
        return State(NEUTRAL, 1.0, "medium", "new", 0, round(churn_risk((), 0), 2))
    mood, confidence = mood_of(course, now)
    silent = _silent_days(course, now, zone)
    return State(
        mood=mood,
        mood_confidence=round(confidence, 2),
        energy=_energy(course, _mood_left(course, now)),
        stage=stage_of(course, now, zone),
        streak=course.streak if silent <= 1 else 0,
        churn_risk=round(churn_risk(course.gaps, silent), 2),
        silent_days=silent,
        active_days=course.active_days,
        messages=course.messages,
        usual_hours=usual_hours(course.hours),
        language=max(course.languages, key=lambda each: each[1], default=("", 0.0))[0],
    )


def mood_of(course: Course | None, now: datetime) -> tuple[MoodName, float]:
    """Return somebody's mood at a moment, and how likely it is beside the others, 0..1."""
    if course is None:
        return NEUTRAL, 1.0
    moods = [evidence * _mood_left(course, now) for evidence in course.moods]
    moods[MOODS.index(NEUTRAL)] += UNMOVED
    return strongest(moods)


def stage_of(course: Course, now: datetime, zone: tzinfo) -> Stage:
    """Return the stage of a relationship at a moment, in days of a time zone."""
    silent = _silent_days(course, now, zone)
    risk = churn_risk(course.gaps, silent)
    is_gone = risk >= DORMANT_RISK and silent >= DORMANT_AFTER_DAYS
    if is_gone or silent >= GONE_AFTER_DAYS:
        return "dormant"
    if risk >= FADING_RISK and silent >= FADING_AFTER_DAYS:
        return "fading"
    known_for = (course.last_day - course.first_day).days
    if course.bond >= DEEP_BOND and known_for >= DEEP_DAYS:
        return "deep"
    if course.bond >= ESTABLISHED_BOND and known_for >= ESTABLISHED_DAYS:
        return "established"
    return "new" if course.active_days == 1 else "building"


def churn_risk(gaps: Sequence[int], silent: int) -> float:
    """Return the chance, 0..1, that somebody does not come back after so many silent days.

    One minus the chance of being alive in the MBG/NBD model: active days come at a rate of one's
    own (gamma distributed over people), and after each one leaves for good with a chance of one's
    own (beta distributed). The longer the silence beside the gaps that there were, the less is left
    of the chance that it is merely another one.

    Source: Batislam, Denizel & Filiztekin (2007), Empirical validation and comparison of models for
    customer base analysis; after Fader, Hardie & Lee (2005), the BG/NBD model.

    Args:
        gaps: Days between active days, each at least 1.
        silent: Days since the last one.
    """
    returns, lasted = len(gaps), sum(gaps)
    known = RATE_SCALE_DAYS + lasted
    stretch = float(((known + silent) / known) ** (RATE_SHAPE + returns))
    left = LEAVING / (STAYING + returns) * stretch
    return left / (1.0 + left)


def usual_hours(hours: Sequence[float]) -> tuple[int, int] | None:
    """Return the shortest run of whole hours that holds most of the weight, round the clock.

    From its first hour until before its end, such as (22, 2); None of too little. Of equally short
    ones that with the most weight, then the earliest.
    """
    total, size = sum(hours), len(hours)
    if total < HOURS_LEAST:
        return None
    for length in range(1, size):
        held = [sum(hours[(start + n) % size] for n in range(length)) for start in range(size)]
        best = max(range(size), key=lambda start: (held[start], -start))
        if held[best] >= HOURS_SHARE * total:
            return best, (best + length) % size
    return 0, 0


def _energy(course: Course, left: float) -> Energy:
    # What is known of it passes like the mood, towards the middle.
    weight = course.energy_weight * left
    mean = (course.energy * left + UNMOVED * 0.5) / (weight + UNMOVED)
    return "low" if mean < LOW_BELOW else "high" if mean >= HIGH_FROM else "medium"


def _mood_left(course: Course, now: datetime) -> float:
    """Return what is left of what somebody felt when they last wrote, 0..1."""
    passed_h = max(0.0, (now - course.last_at) / timedelta(hours=1))
    return halved(passed_h, MOOD_HALF_LIFE_H)


def _silent_days(course: Course, now: datetime, zone: tzinfo) -> int:
    return max(0, (now.astimezone(zone).date() - course.last_day).days)
