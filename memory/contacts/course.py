"""What a contact's messages come to, taken in one after the other, in the order of time. Pure.

`advance` is the one function that does it: what is kept after any number of messages is all that
the next one needs, and the same messages in the same order come to the same, to the last digit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta, tzinfo
from typing import Final

from memory.domain.contacts import MOODS, NEUTRAL, Course, Marked, MoodName, MoodOfDay

VERSION: Final = "contacts/1"
"""Rises with every change of what is kept."""

MOOD_HALF_LIFE_H: Final = 12.0
"""Hours in which what a message tells of a mood counts half. Source: Verduyn & Lavrijsen (2015),
Which emotions last longest and why: most last hours, sadness some days."""
MOOD_PASSES: Final = 0.6
"""What is left of the evidence with each further message: four calm ones outweigh an outburst."""
NEUTRAL_WEIGHT: Final = 0.5
"""A message without a feeling says less of a mood than one with: most feel nothing in particular
and are written in any mood."""
BOND_HALF_LIFE_DAYS: Final = 180.0
"""Days in which an active day counts half for how close a contact is: whoever comes back after
half a year is known, and no longer as close."""
GAPS_KEPT: Final = 30
"""Gaps that tell a habit: with one a day it is that of the last month."""
HOURS_HALF_LIFE_DAYS: Final = 60.0
"""Days in which an hour counts half: a habit of two months ago is half a habit."""
LANGUAGE_PASSES: Final = 0.95
"""What a language keeps with each further message: twenty in another one change it."""
DAYS_KEPT: Final = 30
"""Days of the mood's course that are kept with a contact."""


def course_of(marked: Iterable[Marked], zone: tzinfo) -> Course | None:
    """Return what messages in the order of time come to; None of none."""
    course: Course | None = None
    for each in marked:
        course = advance(course, each, zone)
    return course


def follows(course: Course, at: datetime, seq: int) -> bool:
    """Tell whether a message comes after all that were taken in."""
    return (at, seq) > (course.last_at, course.last_seq)


def advance(course: Course | None, each: Marked, zone: tzinfo) -> Course:
    """Take in the next message in the order of time.

    Days are those of `zone`. A clock that jumps back within them, as one does in autumn, ends none.
    """
    day = each.at.astimezone(zone).date()
    if course is None:
        return _later(_begun(each, day), each, zone, 0.0)
    hours = (each.at - course.last_at) / timedelta(hours=1)
    if day <= course.last_day:
        return _later(course, each, zone, hours)
    gap = (day - course.last_day).days
    course = replace(
        course,
        last_day=day,
        active_days=course.active_days + 1,
        streak=course.streak + 1 if gap == 1 else 1,
        bond=course.bond * halved(gap, BOND_HALF_LIFE_DAYS) + 1.0,
        gaps=(*course.gaps, gap)[-GAPS_KEPT:],
        hours=_scaled(course.hours, halved(gap, HOURS_HALF_LIFE_DAYS)),
        days=days_of(course)[-DAYS_KEPT:],
        day_messages=0,
        day_moods=(0.0,) * len(MOODS),
    )
    return _later(course, each, zone, hours)


def days_of(course: Course) -> tuple[MoodOfDay, ...]:
    """Return the mood of each day that is kept, the last active one included, oldest first."""
    mood, confidence = strongest(course.day_moods)
    today = MoodOfDay(course.last_day, course.day_messages, mood, round(confidence, 4))
    return (*course.days, today)


def strongest(evidence: Sequence[float]) -> tuple[MoodName, float]:
    """Return the mood with the most evidence, and its share; the first of equals."""
    total = sum(evidence)
    best = max(range(len(MOODS)), key=lambda n: evidence[n])
    return (MOODS[best], evidence[best] / total) if total > 0 else (NEUTRAL, 0.0)


def halved(passed: float, half_life: float) -> float:
    """Return what is left of one after a time, by exponential decay; both in the same unit."""
    return float(0.5 ** (max(passed, 0.0) / half_life))


def _begun(each: Marked, day: date) -> Course:
    nothing = (0.0,) * len(MOODS)
    return Course(
        first_at=each.at,
        last_at=each.at,
        last_seq=each.seq,
        first_day=day,
        last_day=day,
        messages=0,
        active_days=1,
        streak=1,
        bond=1.0,
        gaps=(),
        moods=nothing,
        energy=0.0,
        energy_weight=0.0,
        hours=(0.0,) * 24,
        languages=(),
        day_messages=0,
        day_moods=nothing,
    )


def _later(course: Course, each: Marked, zone: tzinfo, hours: float) -> Course:
    """Take in a message of the course's last day."""
    mark = each.mark
    said = mark.confidence * (NEUTRAL_WEIGHT if mark.mood == NEUTRAL else 1.0)
    left = halved(hours, MOOD_HALF_LIFE_H) * MOOD_PASSES
    return replace(
        course,
        last_at=each.at,
        last_seq=each.seq,
        messages=course.messages + 1,
        moods=_with(_scaled(course.moods, left), MOODS.index(mark.mood), said),
        energy=course.energy * left + mark.energy,
        energy_weight=course.energy_weight * left + 1.0,
        hours=_with(course.hours, _hour(each.at, zone), 1.0),
        languages=_spoken(course.languages, mark.language),
        day_messages=course.day_messages + 1,
        day_moods=_with(course.day_moods, MOODS.index(mark.mood), said),
    )


def _hour(at: datetime, zone: tzinfo) -> int:
    return at.astimezone(zone).hour


def _spoken(
    languages: tuple[tuple[str, float], ...], language: str
) -> tuple[tuple[str, float], ...]:
    if not language:
        return languages
    weights = {name: weight * LANGUAGE_PASSES for name, weight in languages}
    weights[language] = weights.get(language, 0.0) + 1.0
    # By name: the order must not tell in which order they were first met.
    return tuple(sorted(weights.items()))


def _scaled(values: Sequence[float], by: float) -> tuple[float, ...]:
    return tuple(value * by for value in values)


def _with(values: Sequence[float], place: int, more: float) -> tuple[float, ...]:
    return (*values[:place], values[place] + more, *values[place + 1 :])
