"""Expressions of time in a text, one by one, and what each means by itself. Pure.

In English, German, Spanish, Portuguese and Russian, and in digits; all are tried on every text. In
linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Final, NamedTuple

from dateutil.relativedelta import relativedelta

from memory.text import date_words as words
from memory.text.date_words import LEAD_CHARS, Rules, index_of
from memory.text.recurring import (
    AGO,
    LAST,
    THIS,
    UNIT,
    UNIT_NAMES,
    Recurring,
    Span,
    around,
    floor,
)

MAX_TIMES: Final = 8
"""So many expressions of a text are read."""
BOUNDS: Final = frozenset({"since", "after", "until"})
"""Sides on which a time begins or ends at what is named, and lasts from or to there."""
_NAMING: Final = frozenset({"since", "after", "until", "ahead", "at"})  # make a time of a name
_FEW: Final = (2, 5)
_MONTH: Final = 31  # days, at most
_DECEMBER: Final = 12


class Expression(NamedTuple):
    """An expression of time in a text; one that is no time by itself is weak."""

    at: int
    to: int
    what: Span | Recurring
    side: str
    part: int | None
    is_weak: bool


def expressions(text: str, plain: str, now: datetime) -> list[Expression]:
    """Return the expressions of a text, in order; where two overlap, the first and longest."""
    if len(text) != len(plain):
        text = plain
    found = list(_numeric(plain, now))
    for rules in words.RULES:
        found += _named(rules, text, plain, now)
    found.sort(key=lambda each: (each.at, -each.to, each.is_weak))
    kept: list[Expression] = []
    for each in found:
        if not kept or kept[-1].to <= each.at:
            kept.append(each)
    return kept[:MAX_TIMES]


def _named(rules: Rules, text: str, plain: str, now: datetime) -> Iterator[Expression]:
    """Yield what is said in words of one language."""
    for match in rules.time.finditer(plain):
        side, part, at = _before(rules, plain, match.start())
        what = _what(rules, match, side, part, now)
        if isinstance(what, Span):
            yield Expression(at, match.end(), what, "" if side == "ago" else side, part, False)
        elif what and (side != "each" or what.which is not None):
            side = "" if match["from"] else side  # "с 3 по 7": from, not since
            is_weak = part is None and _is_weak(rules, match, text, what, side)
            if not is_weak or what.kind != "month" or not _is_verb(match, text, side):
                yield Expression(at, match.end(), what, side, part, is_weak)


def _before(rules: Rules, plain: str, start: int) -> tuple[str, int | None, int]:
    """Return what stands before an expression: its side, its part, and where the part begins."""
    lead = rules.lead.search(plain[max(0, start - LEAD_CHARS) : start])
    if lead is None:
        return "", None, start
    side = next((each for each in words.SIDES if lead[each]), "")
    part = next((i for i, each in enumerate(words.PARTS) if lead[each]), None)
    return side, part, start - len(lead["part"] or "")


def _is_weak(rules: Rules, match: re.Match[str], text: str, what: Recurring, side: str) -> bool:
    """Tell whether a name is no time by itself: May and April are people, too."""
    if what.kind == "week":
        return True
    if what.which is not None or rules.bare.fullmatch(match[0]):
        return False
    if what.kind == "date":
        return _is_verb(match, text, side)
    if what.kind == "monthday":
        return side not in BOUNDS and side != "on"
    return side not in _NAMING and (side != "on" or what.kind not in {"weekday", "weekend"})


def _is_verb(match: re.Match[str], text: str, side: str) -> bool:
    """Tell whether "may" and "march" are rather verbs: in lower case, and no year follows."""
    name = match["month"] or match["day_month"] or match["month_day"]
    if name not in words.VERBS or side in _NAMING or side == "on":
        return False
    is_lower = text[match.start() + match[0].index(name)].islower()
    return is_lower and not words.YEAR_NEXT.match(match.string, match.end())


def _what(
    rules: Rules, match: re.Match[str], side: str, part: int | None, now: datetime
) -> Span | Recurring | None:
    """Return what an expression means."""
    if match["skip"]:
        return None
    if match["offset"]:
        start = floor("day", now) + UNIT["day"] * (index_of(rules.days, match["offset"]) - 2)
        return Span(start, start + UNIT["day"])
    if match["day_month"] or match["month_day"]:
        return _date(rules, match)
    if match["monthday"]:
        day = int(match["monthday"])
        return Recurring("monthday", day=day) if day else None
    which = index_of(rules.before, match["before"]) if match["before"] else None
    which = index_of(rules.behind, match["behind"]) if match["behind"] else which
    if match["unit"]:
        is_current = which is None and part is not None  # "the end of the year": of this one
        return _unit(rules, match, side, THIS if is_current else which, now)
    if which == AGO:
        return None
    for kind, names in (("weekday", rules.weekdays), ("month", rules.months)):
        if match[kind]:
            value = index_of(names, match[kind].rstrip("."))
            return Recurring(kind, value + (kind == "month"), which=which)
    return Recurring("season", 3 * index_of(rules.seasons, match["season"]) + 3, which=which)


def _date(rules: Rules, match: re.Match[str]) -> Recurring | None:
    """Return the day of a month, or from one to another."""
    month = index_of(rules.months, (match["day_month"] or match["month_day"]).rstrip(".")) + 1
    if match["month_day"]:
        first, last = match["of_month"], match["till"]
    else:
        first, last = match["from"] or match["day"], match["from"] and match["day"]
    day = int(first) if first.isdecimal() else index_of(rules.ordinals, first) + 1
    until = int(last) if last and last.isdecimal() else 0
    return Recurring("date", month, day, until) if day and until <= _MONTH else None


def _unit(
    rules: Rules, match: re.Match[str], side: str, which: int | None, now: datetime
) -> Span | Recurring | None:
    """Return "last week", "two months ago", "the last three days"."""
    unit = UNIT_NAMES[index_of(rules.units, match["unit"])]
    few = _count(rules, match["n"])
    if unit == "weekend":
        return None if few else Recurring("weekend", 5, which=which)
    if which == AGO or (side == "ago" and (few or unit == "half")):
        low, high = few or (1, 1)
        return around(unit, -high, -low, now)
    if few and (which == LAST or (side == "since" and which is None)):
        start = now - UNIT[unit] * few[1]
        return Span(start if unit in {"minute", "hour"} else floor("day", start), now)
    if few and which is None and side == "ahead" and (few[1] > 1 or match["n"].isdecimal()):
        return around(unit, *few, now)
    if few or unit not in {"week", "month", "year"}:
        return None
    if which is None:
        return Recurring("week") if unit == "week" else None
    if match["before"] and which == LAST and words.OF_IT.match(match.string, match.end()):
        return None
    return around(unit, which - THIS, which - THIS, now)


def _count(rules: Rules, text: str | None) -> tuple[int, int] | None:
    """Return how many are meant, at least and at most."""
    if not text:
        return None
    if text.isdecimal():
        return int(text), int(text)
    value = index_of(rules.numbers, text) + 1
    return (value, value) if value < len(rules.numbers) else _FEW


def _numeric(plain: str, now: datetime) -> Iterator[Expression]:
    """Yield years, and dates in digits."""
    for match in words.NUMERIC.finditer(plain):
        what = _digits(match, now)
        if what is None or words.COUNTED.match(plain, match.end()):
            continue
        leads = [_before(rules, plain, match.start()) for rules in words.RULES]
        side, part, at = min(leads, key=lambda lead: (lead[2], not lead[0]))
        is_bare = not side and part is None
        yield Expression(at, match.end(), what, side, part, is_bare and _is_number(plain, match))


def _digits(match: re.Match[str], now: datetime) -> Span | Recurring | None:
    """Return the year, the month or the day that digits tell, or none that there is."""
    first = floor("year", now)
    if match["one"]:
        start, end = match["one"], match["other"] or match["one"]
        last = int(start[: 4 - len(end)] + end)
        if last < int(start):
            return None
        return Span(first.replace(year=int(start)), first.replace(year=last + 1))
    year = match["iso"] or match["month_year"] or match["year"]
    month = int(match["iso_month"] or match["of_year"] or match["month"])
    day = int(match["iso_day"] or match["day"] or 1)
    day, month = (month, day) if month > _DECEMBER and match["day"] else (day, month)
    if not 1 <= month <= _DECEMBER or not 1 <= day <= _MONTH:
        return None
    if not year:
        is_clear = match["sep"] == "." or day > _DECEMBER
        return Recurring("date", month, day) if is_clear else None
    begin = first + relativedelta(
        year=int(year) % 100 + 2000 if len(year) < 4 else int(year), month=month, day=day
    )
    if begin.day != day:
        return None
    return Span(begin, begin + UNIT["day" if match["day"] or match["iso_day"] else "month"])


def _is_number(plain: str, match: re.Match[str]) -> bool:
    """Tell whether digits are rather no time, for what stands around them."""
    if match["day"]:
        return len(match["year"] or "") < 4
    if not match["one"] or match["word"]:
        return False
    ahead = plain[max(0, match.start() - LEAD_CHARS) : match.start()]
    if ahead.rstrip()[-1:].isdecimal():
        return True
    if words.YEAR_BEHIND.search(ahead):
        return False
    return bool(words.LABEL.search(ahead)) or not words.YEAR_ENDS.match(plain, match.end())
