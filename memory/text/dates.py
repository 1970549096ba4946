"""What a question says of time, as spans: "in May", "letzte Woche", "hace dos meses". Pure.

For English, German, Spanish, Portuguese and Russian, all tried on every question. Expressions are
found one by one, then joined ("Tuesday" and "last week", "May" and "2024", "from" and "to"), then
placed in the calendar. In linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Final, NamedTuple

from dateutil.relativedelta import relativedelta

from memory.text import date_words as words
from memory.text.date_words import Rules
from memory.text.recurring import (
    AGO,
    LAST,
    THIS,
    UNIT,
    Recurring,
    Span,
    around,
    floor,
    latest,
    part_of,
    times,
    within,
)

__all__ = ["MAX_CHARS", "Named", "Span", "coming", "spans"]

MAX_CHARS: Final = 400
"""What a longer question says behind them is not read."""
MAX_TIMES: Final = 8
"""So many expressions of a question are read."""


class _Found(NamedTuple):
    """An expression of time in a text; one that is no time by itself is weak."""

    at: int
    to: int
    what: Span | Recurring
    side: str
    part: int | None
    is_weak: bool


_LEAD_CHARS: Final = 48  # a preposition, an article and a part are no longer
_FEW: Final = (2, 5)
_MONTH: Final = 31  # days, at most
_DECEMBER: Final = 12
_NAMING: Final = frozenset({"since", "after", "until", "ahead", "at"})  # make a time of a name
_SIDES: Final = frozenset({"since", "after", "until"})
_UNITS: Final = (*UNIT, "weekend")


def spans(question: str, now: datetime) -> list[Span]:
    """Return the times that a question names, by their start, as whole days, months and so on.

    What recurs and comes without its year, month or week is the latest that has begun. "Since May"
    lasts until now; what asks for a time before another names none. Seasons are northern ones, and
    3/4/2025 is in April.

    Args:
        question: What is asked; of a long one the first `MAX_CHARS`.
        now: When it is asked. The spans are in its zone, or in none if it has none.
    """
    text = question[:MAX_CHARS].translate(words.APOSTROPHES)
    plain = text.lower()
    if not words.HINT.search(plain):
        return []
    try:
        found = _ranges(_joined(_found(text, plain, now), plain, now), plain, now)
        return sorted({span for each in found if (span := _told(each, now))})
    except (ValueError, OverflowError):  # beyond the first or the last year that there is
        return []


class Named(NamedTuple):
    """Where a text names a time, from the first character up to the second, and which it is."""

    at: int
    to: int
    span: Span


def coming(text: str, now: datetime) -> list[Named]:
    """Return the times that a text names which are not over, in order, whatever stands before them.

    What recurs is the first that is not over. Of a long text the first `MAX_CHARS` are read; `now`
    is when it is said, and the spans are in its zone.
    """
    said = text[:MAX_CHARS].translate(words.APOSTROPHES)
    plain = said.lower()
    if len(plain) != len(said) or not words.HINT.search(plain):
        return []
    try:
        named = [
            (each, _ahead(each, now)) for each in _joined(_found(said, plain, now), plain, now)
        ]
    except (ValueError, OverflowError):
        return []
    return [Named(each.at, each.to, span) for each, span in named if span]


def without_times(text: str, now: datetime) -> str:
    """Return the first `MAX_CHARS` of a text without the words that name times."""
    said = text[:MAX_CHARS].translate(words.APOSTROPHES)
    plain = said.lower()
    if len(plain) != len(said) or not words.HINT.search(plain):
        return said
    try:
        found = _found(said, plain, now)
    except (ValueError, OverflowError):
        return said
    for each in reversed(found):
        said = f"{said[: each.at]} {said[each.to :]}"
    return said


def _ahead(found: _Found, now: datetime) -> Span | None:
    """Return the first time that an expression means and that is not over."""
    what = found.what
    if isinstance(what, Recurring) and what.which is None:
        near = next((each for each in times(what, now) if each.end > now), None)
    else:
        near = what if isinstance(what, Span) else latest(what, now)
    if near is not None and found.part is not None:
        near = part_of(near, found.part)
    return near if near is not None and near.end > now else None


def _found(text: str, plain: str, now: datetime) -> list[_Found]:
    """Return the expressions of a text, in order; where two overlap, the first and longest."""
    if len(text) != len(plain):
        text = plain
    found = list(_numeric(plain, now))
    for rules in words.RULES:
        found += _named(rules, text, plain, now)
    found.sort(key=lambda each: (each.at, -each.to, each.is_weak))
    kept: list[_Found] = []
    for each in found:
        if not kept or kept[-1].to <= each.at:
            kept.append(each)
    return kept[:MAX_TIMES]


def _named(rules: Rules, text: str, plain: str, now: datetime) -> Iterator[_Found]:
    """Yield what is said in words of one language."""
    for match in rules.time.finditer(plain):
        side, part, at = _before(rules, plain, match.start())
        what = _what(rules, match, side, part, now)
        if isinstance(what, Span):
            yield _Found(at, match.end(), what, "" if side == "ago" else side, part, False)
        elif what and (side != "each" or what.which is not None):
            side = "" if match["from"] else side  # "с 3 по 7": from, not since
            is_weak = part is None and _is_weak(rules, match, text, what, side)
            if not is_weak or what.kind != "month" or not _is_verb(match, text, side):
                yield _Found(at, match.end(), what, side, part, is_weak)


def _before(rules: Rules, plain: str, start: int) -> tuple[str, int | None, int]:
    """Return what stands before an expression: its side, its part, and where the part begins."""
    lead = rules.lead.search(plain[max(0, start - _LEAD_CHARS) : start])
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
        return side not in _SIDES and side != "on"
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
        start = floor("day", now) + UNIT["day"] * (_index(rules.days, match["offset"]) - 2)
        return Span(start, start + UNIT["day"])
    if match["day_month"] or match["month_day"]:
        return _date(rules, match)
    if match["monthday"]:
        day = int(match["monthday"])
        return Recurring("monthday", day=day) if day else None
    which = _index(rules.before, match["before"]) if match["before"] else None
    which = _index(rules.behind, match["behind"]) if match["behind"] else which
    if match["unit"]:
        is_current = which is None and part is not None  # "the end of the year": of this one
        return _unit(rules, match, side, THIS if is_current else which, now)
    if which == AGO:
        return None
    for kind, names in (("weekday", rules.weekdays), ("month", rules.months)):
        if match[kind]:
            value = _index(names, match[kind].rstrip("."))
            return Recurring(kind, value + (kind == "month"), which=which)
    return Recurring("season", 3 * _index(rules.seasons, match["season"]) + 3, which=which)


def _date(rules: Rules, match: re.Match[str]) -> Recurring | None:
    """Return the day of a month, or from one to another."""
    month = _index(rules.months, (match["day_month"] or match["month_day"]).rstrip(".")) + 1
    if match["month_day"]:
        first, last = match["of_month"], match["till"]
    else:
        first, last = match["from"] or match["day"], match["from"] and match["day"]
    day = int(first) if first.isdecimal() else _index(rules.ordinals, first) + 1
    until = int(last) if last and last.isdecimal() else 0
    return Recurring("date", month, day, until) if day and until <= _MONTH else None


def _unit(
    rules: Rules, match: re.Match[str], side: str, which: int | None, now: datetime
) -> Span | Recurring | None:
    """Return "last week", "two months ago", "the last three days"."""
    unit = _UNITS[_index(rules.units, match["unit"])]
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
    value = _index(rules.numbers, text) + 1
    return (value, value) if value < len(rules.numbers) else _FEW


def _index(patterns: tuple[re.Pattern[str], ...], text: str) -> int:
    return next(i for i, each in enumerate(patterns) if each.fullmatch(text))


def _numeric(plain: str, now: datetime) -> Iterator[_Found]:
    """Yield years, and dates in digits."""
    for match in words.NUMERIC.finditer(plain):
        what = _digits(match, now)
        if what is None or words.COUNTED.match(plain, match.end()):
            continue
        leads = [_before(rules, plain, match.start()) for rules in words.RULES]
        side, part, at = min(leads, key=lambda lead: (lead[2], not lead[0]))
        is_bare = not side and part is None
        yield _Found(at, match.end(), what, side, part, is_bare and _is_number(plain, match))


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
    ahead = plain[max(0, match.start() - _LEAD_CHARS) : match.start()]
    if ahead.rstrip()[-1:].isdecimal():
        return True
    if words.YEAR_BEHIND.search(ahead):
        return False
    return bool(words.LABEL.search(ahead)) or not words.YEAR_ENDS.match(plain, match.end())


def _joined(found: list[_Found], plain: str, now: datetime) -> list[_Found]:
    """Return the expressions with those made one that belong together, the last ones first."""
    joined: list[_Found] = []
    for each in reversed(found):
        while joined and (one := _both(each, joined[-1], plain, now)):
            each = one
            joined.pop()
        joined.append(each)
    return joined[::-1]


def _both(one: _Found, other: _Found, plain: str, now: datetime) -> _Found | None:
    """Return what two expressions mean together: "May last year", "the weekend of the 12th"."""
    if not words.JOIN.fullmatch(plain[one.to : other.at]):
        return None
    kept, around = (one, other) if isinstance(one.what, Recurring) else (other, one)
    what, near = kept.what, around.what
    if isinstance(what, Span):
        return None
    if isinstance(near, Recurring):
        if near.kind not in {"date", "monthday"}:
            return None
        if what.kind == "weekday":  # "Monday, 3 May": the date tells which
            return _Found(one.at, other.to, near, one.side, one.part, False)
    placed = near if isinstance(near, Span) else latest(near, now)
    span = within(what, placed) if placed else None
    if span is None:
        return None
    side = next((each.side for each in (kept, around) if each.side in {*_SIDES, "between"}), "")
    return _Found(one.at, other.to, span, side, kept.part, False)


def _ranges(found: list[_Found], plain: str, now: datetime) -> list[_Found]:
    """Return the expressions with "from one to another" made one."""
    joined: list[_Found] = []
    for each in found:
        if joined and (one := _range(joined[-1], each, plain, now)):
            joined[-1] = one
            continue
        ends_in_year = each.to - each.at > 4 and plain[each.to - 4 : each.to].isdecimal()
        if joined and ends_in_year and words.AND.fullmatch(plain[joined[-1].to : each.at]):
            joined[-1] = _like(joined[-1], each)
        joined.append(each)
    return joined


def _like(one: _Found, other: _Found) -> _Found:
    """Return an expression in the year that another names: "May and June 2024"."""
    if isinstance(one.what, Span) or one.what.which is not None or not isinstance(other.what, Span):
        return one
    start = floor("year", other.what.start)
    what = within(one.what, Span(start, start + UNIT["year"]))
    return one._replace(what=what, is_weak=False) if what else one


def _range(one: _Found, other: _Found, plain: str, now: datetime) -> _Found | None:
    gap = plain[one.to : other.at]
    if not words.TO.fullmatch(gap) and not (one.side == "between" and words.AND.fullmatch(gap)):
        return None
    start = isinstance(one.what, Span) and _placed(one, now)
    end = _placed(other, now, since=start.start if start else None)
    start = start or (end and _placed(one, end.start))
    if not start or not end or start.start >= end.end:
        return None
    return _Found(one.at, other.to, Span(start.start, end.end), "", None, False)


def _told(found: _Found, now: datetime) -> Span | None:
    """Return the time that an expression names."""
    span = None if found.is_weak or found.side in {"until", "ago"} else _placed(found, now)
    if span is None or found.side not in _SIDES:
        return span
    start = span.start if found.side == "since" else span.end
    return Span(start, now) if start < now else None


def _placed(found: _Found, now: datetime, since: datetime | None = None) -> Span | None:
    """Return when it is, or its part: the latest, or the first since a time."""
    if isinstance(found.what, Span):
        span: Span | None = found.what
    elif since is None:
        span = latest(found.what, now)
    else:
        span = next((each for each in times(found.what, since) if each.start >= since), None)
    return span if span is None or found.part is None else part_of(span, found.part)
