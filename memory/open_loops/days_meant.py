"""The day that an expression of time means, seen from the day it was said, read forwards. Pure."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

from dateutil.relativedelta import relativedelta

from memory.text import date_words as words
from memory.text.date_words import Rules, index_of
from memory.text.recurring import AGO, LAST, NEXT, THIS, UNIT, UNIT_NAMES

_MONTH_DAYS: Final = 31
_NEARLY_A_WEEK: Final = 6
_NEXT_WEEK: Final = (words.RULES[0], words.RULES[1], words.RULES[4])
"""Where "next Friday" is that of next week; elsewhere it is the coming one."""
_YEAR: Final = re.compile(r"\s*,?\s*(?:of\s+|de\s+|del\s+)?((?:19|20)\d\d)(?!\d)")


def days_meant(
    rules: Rules, match: re.Match[str], today: date, is_ahead: bool, is_late: bool
) -> tuple[date, date] | None:
    """Return the first and the last day that an expression means."""
    if match["offset"]:
        day = today + timedelta(days=index_of(rules.days, match["offset"]) - 2)
        return day, day
    if match["day_month"] or match["month_day"]:
        found = _of_month(rules, match, today)
        return (found, found) if found else None
    if match["monthday"]:
        found = next_monthday(int(match["monthday"]), today)
        return (found, found) if found else None
    which = index_of(rules.before, match["before"]) if match["before"] else None
    which = index_of(rules.behind, match["behind"]) if match["behind"] else which
    if which == AGO:
        return None
    if match["unit"]:
        return _unit(rules, match, today, which, is_ahead, is_late)
    if match["weekday"]:
        day = _weekday(rules, index_of(rules.weekdays, match["weekday"]), today, which)
        return day, day
    if match["month"]:
        if which is None and not is_ahead:
            return None
        month = index_of(rules.months, match["month"].rstrip(".")) + 1
        first = date(today.year + (month < today.month), month, 1)
        return first, first + relativedelta(day=_MONTH_DAYS)
    return None


def _weekday(rules: Rules, weekday: int, today: date, which: int | None) -> date:
    """Return "Friday", "next Friday", "last Friday"."""
    ahead = (weekday - today.weekday()) % 7
    if which is not None and which <= LAST:
        return today - timedelta(days=7 - ahead if ahead else 7)
    if which == NEXT and ahead < _NEARLY_A_WEEK and rules in _NEXT_WEEK:
        monday = today - timedelta(days=today.weekday())
        return monday + timedelta(days=7 + weekday)
    return today + timedelta(days=ahead or 7)


def _unit(
    rules: Rules,
    match: re.Match[str],
    today: date,
    which: int | None,
    is_ahead: bool,
    is_late: bool,
) -> tuple[date, date] | None:
    """Return "next week", "in two weeks", "this weekend", "the end of the month"."""
    unit = UNIT_NAMES[index_of(rules.units, match["unit"])]
    count = _count(rules, match["n"])
    monday = today - timedelta(days=today.weekday())
    if unit == "weekend":
        if which is not None and which <= LAST:
            return None
        later = which == NEXT and today.weekday() >= 5
        sunday = monday + timedelta(days=6 + 7 * later)
        return sunday - timedelta(days=1), sunday
    if count is not None and is_ahead and which is None:
        if unit in {"minute", "hour"}:
            return today, today
        day = today + UNIT[unit] * count
        return day, day
    if count is not None or unit not in {"week", "month"}:
        return None
    if which is None and not is_late:
        return None
    if which is not None and which not in (THIS, NEXT):
        return None
    step = int(which == NEXT)
    if unit == "week":
        start = monday + timedelta(weeks=step)
        return start, start + timedelta(days=6)
    start = today.replace(day=1) + UNIT[unit] * step
    return start, start + relativedelta(day=_MONTH_DAYS)


def _of_month(rules: Rules, match: re.Match[str], today: date) -> date | None:
    month = index_of(rules.months, (match["day_month"] or match["month_day"]).rstrip(".")) + 1
    told = match["of_month"] or match["from"] or match["day"]
    day = int(told) if told.isdecimal() else index_of(rules.ordinals, told) + 1
    return next_date(day, month, year_after(match), today)


def year_after(match: re.Match[str]) -> int | None:
    """Return the year that follows an expression: "12 March 1986"."""
    year = _YEAR.match(match.string, match.end())
    return int(year[1]) if year else None


def next_date(day: int, month: int, year: int | None, today: date) -> date | None:
    """Return a date, in its year or the next time that it comes."""
    try:
        if year is not None:
            return date(year, month, day)
        found = date(today.year, month, day)
        # What is just over is told of, not planned: half a year ahead is nearer than a year back.
        return found if (today - found).days < 90 else date(today.year + 1, month, day)
    except ValueError:
        return None


def next_monthday(day: int, today: date) -> date | None:
    """Return the next date of that number, today's included; None where no month near has it."""
    for months in range(3):
        first = today.replace(day=1) + relativedelta(months=months)
        found = first + relativedelta(day=day)
        if found.day == day and found >= today:
            return found
    return None


def on_weekday(day: int, weekday: int, today: date) -> date | None:
    """Return the next date of that number if it falls on that weekday."""
    found = next_monthday(day, today)
    return found if found and found.weekday() == weekday else None


def _count(rules: Rules, text: str | None) -> int | None:
    if not text:
        return None
    if text.isdecimal():
        return int(text)
    value = index_of(rules.numbers, text) + 1
    return value if value < len(rules.numbers) else 3
