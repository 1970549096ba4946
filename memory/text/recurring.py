"""Stretches of time, and what comes again every year, month or week. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import Final, NamedTuple

from dateutil.relativedelta import MO, SA, relativedelta

BEFORE_LAST, LAST, THIS, NEXT, AGO = range(5)
"""Which of those that come again, seen from now."""
UNIT: Final = {
    "minute": relativedelta(minutes=1),
    "hour": relativedelta(hours=1),
    "day": relativedelta(days=1),
    "week": relativedelta(weeks=1),
    "month": relativedelta(months=1),
    "year": relativedelta(years=1),
    "half": relativedelta(months=6),
}
UNIT_NAMES: Final = (*UNIT, "weekend")
"""In the order of their words in `memory.text.date_words`."""
_DAYS_WITHIN: Final = {
    "weekday": (2, 8),
    "weekend": (2, 8),
    "monthday": (27, 32),
    "month": (360, 800),
    "season": (360, 800),
    "date": (360, 800),
}
"""How many days a time has that tells which of the recurring ones is meant: a year, which May."""


class Span(NamedTuple):
    """A stretch of time, without its end, in the zone of the clock it was read by."""

    start: datetime
    end: datetime


class Recurring(NamedTuple):
    """What comes again every year, month or week."""

    kind: str  # month, season, date, monthday, weekday, weekend or week
    value: int = 0  # the month, a season's first, or the weekday from Monday, 0, on
    day: int = 0  # of the month
    until: int = 0  # the last of several days
    which: int | None = None


def around(unit: str, first: int, last: int, now: datetime) -> Span:
    """Return the whole units from one to another, counted from now."""
    length = UNIT["month" if unit == "half" else unit]
    return Span(
        floor(unit, now + UNIT[unit] * first), floor(unit, now + UNIT[unit] * last) + length
    )


def floor(unit: str, time: datetime) -> datetime:
    """Return when a unit began."""
    if unit == "minute":
        return time.replace(second=0, microsecond=0, fold=0)
    if unit == "hour":
        return time.replace(minute=0, second=0, microsecond=0, fold=0)
    day = time.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    if unit == "day":
        return day
    if unit == "week":
        return day + relativedelta(weekday=MO(-1))
    return day.replace(day=1, month=1) if unit == "year" else day.replace(day=1)


def part_of(span: Span, part: int) -> Span:
    """Return a third of a time, in whole months or days."""
    length = relativedelta(span.end, span.start)
    months = 12 * length.years + length.months
    if months and months % 3 == 0:
        third = relativedelta(months=months // 3)
    else:
        third = relativedelta(days=(span.end - span.start).days // 3)
    end = span.end if part == 2 else span.start + third * (part + 1)
    return Span(span.start + third * part, end) if third else span


def within(what: Recurring, span: Span) -> Span | None:
    """Return which of the recurring ones another time tells."""
    days = (span.end - span.start).days
    if days == 1 and what.kind in {"weekday", "week"}:
        return span if what.kind == "weekday" else around("week", 0, 0, span.start)
    if days == 1 and what.kind == "weekend":
        saturday = span.start + relativedelta(days=-3, weekday=SA)  # the nearest
        return Span(saturday, saturday + 2 * UNIT["day"])
    least, most = _DAYS_WITHIN.get(what.kind, (0, 0))
    if not least <= days <= most:
        return None
    return next(
        (each for each in times(what, span.start) if span.start <= each.start < span.end), None
    )


def latest(what: Recurring, now: datetime) -> Span | None:
    """Return the latest that has begun, or the last, this or the next one."""
    all_times = times(what, now)
    if what.which == NEXT:
        return next((each for each in all_times if each.start > now), None)
    if what.which == THIS:
        unit = "week" if what.kind in {"weekday", "weekend"} else "year"
        is_on = [each for each in all_times if each.start <= now < each.end]
        near = [each for each in all_times if floor(unit, each.start) == floor(unit, now)]
        return next(iter(is_on + near), None)
    if what.which is None:
        begun = [each for each in all_times if each.start <= now]
        return begun[-1] if begun else None
    over = [each for each in all_times if each.end <= now]
    return over[what.which - 2] if len(over) > 1 else None


def times(what: Recurring, near: datetime) -> list[Span]:
    """Return when it is around a time, in order."""
    day = floor("day", near)
    if what.kind in {"weekday", "weekend"}:
        starts = [
            floor("week", near) + relativedelta(weeks=k, days=what.value) for k in range(-3, 3)
        ]
        length = UNIT["day"] * (2 if what.kind == "weekend" else 1)
    elif what.kind == "monthday":
        starts = [day + relativedelta(months=k, day=what.day) for k in range(-3, 3)]
        length = UNIT["day"]
    elif what.kind == "week":
        return []
    else:
        # A day in February may be there in leap years only.
        years = range(-8 if what.day == 29 else -3, 3)
        starts = [day + relativedelta(years=k, month=what.value, day=what.day or 1) for k in years]
        days = max(1, what.until - what.day + 1)
        length = {"month": UNIT["month"], "season": 3 * UNIT["month"]}.get(
            what.kind, days * UNIT["day"]
        )
    return [Span(each, each + length) for each in starts if each.day == what.day or not what.day]
