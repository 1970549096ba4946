"""What a question says of time, as spans: "in May", "letzte Woche", "hace dos meses". Pure.

For English, German, Spanish, Portuguese and Russian, all tried on every question. Expressions
(`memory.text.time_expressions`) are joined ("Tuesday" and "last week", "May" and "2024", "from" and
"to"), then placed in the calendar. In linear time.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final, NamedTuple

from memory.text import date_words as words
from memory.text.recurring import (
    UNIT,
    Recurring,
    Span,
    floor,
    latest,
    part_of,
    times,
    within,
)
from memory.text.time_expressions import BOUNDS, Expression, expressions

__all__ = ["MAX_CHARS", "Named", "Span", "coming", "spans", "without_times"]

MAX_CHARS: Final = 400
"""What a longer question says behind them is not read."""


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
        found = _ranges(_joined(expressions(text, plain, now), plain, now), plain, now)
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
            (each, _ahead(each, now)) for each in _joined(expressions(said, plain, now), plain, now)
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
        found = expressions(said, plain, now)
    except (ValueError, OverflowError):
        return said
    for each in reversed(found):
        said = f"{said[: each.at]} {said[each.to :]}"
    return said


def _ahead(found: Expression, now: datetime) -> Span | None:
    """Return the first time that an expression means and that is not over."""
    what = found.what
    if isinstance(what, Recurring) and what.which is None:
        near = next((each for each in times(what, now) if each.end > now), None)
    else:
        near = what if isinstance(what, Span) else latest(what, now)
    if near is not None and found.part is not None:
        near = part_of(near, found.part)
    return near if near is not None and near.end > now else None


def _joined(found: list[Expression], plain: str, now: datetime) -> list[Expression]:
    """Return the expressions with those made one that belong together, the last ones first."""
    joined: list[Expression] = []
    for each in reversed(found):
        while joined and (one := _both(each, joined[-1], plain, now)):
            each = one
            joined.pop()
        joined.append(each)
    return joined[::-1]


def _both(one: Expression, other: Expression, plain: str, now: datetime) -> Expression | None:
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
            return Expression(one.at, other.to, near, one.side, one.part, False)
    placed = near if isinstance(near, Span) else latest(near, now)
    span = within(what, placed) if placed else None
    if span is None:
        return None
    side = next((each.side for each in (kept, around) if each.side in {*BOUNDS, "between"}), "")
    return Expression(one.at, other.to, span, side, kept.part, False)


def _ranges(found: list[Expression], plain: str, now: datetime) -> list[Expression]:
    """Return the expressions with "from one to another" made one."""
    joined: list[Expression] = []
    for each in found:
        if joined and (one := _range(joined[-1], each, plain, now)):
            joined[-1] = one
            continue
        ends_in_year = each.to - each.at > 4 and plain[each.to - 4 : each.to].isdecimal()
        if joined and ends_in_year and words.AND.fullmatch(plain[joined[-1].to : each.at]):
            joined[-1] = _like(joined[-1], each)
        joined.append(each)
    return joined


def _like(one: Expression, other: Expression) -> Expression:
    """Return an expression in the year that another names: "May and June 2024"."""
    if isinstance(one.what, Span) or one.what.which is not None or not isinstance(other.what, Span):
        return one
    start = floor("year", other.what.start)
    what = within(one.what, Span(start, start + UNIT["year"]))
    return one._replace(what=what, is_weak=False) if what else one


def _range(one: Expression, other: Expression, plain: str, now: datetime) -> Expression | None:
    gap = plain[one.to : other.at]
    if not words.TO.fullmatch(gap) and not (one.side == "between" and words.AND.fullmatch(gap)):
        return None
    start = isinstance(one.what, Span) and _placed(one, now)
    end = _placed(other, now, since=start.start if start else None)
    start = start or (end and _placed(one, end.start))
    if not start or not end or start.start >= end.end:
        return None
    return Expression(one.at, other.to, Span(start.start, end.end), "", None, False)


def _told(found: Expression, now: datetime) -> Span | None:
    """Return the time that an expression names."""
    span = None if found.is_weak or found.side in {"until", "ago"} else _placed(found, now)
    if span is None or found.side not in BOUNDS:
        return span
    start = span.start if found.side == "since" else span.end
    return Span(start, now) if start < now else None


def _placed(found: Expression, now: datetime, since: datetime | None = None) -> Span | None:
    """Return when it is, or its part: the latest, or the first since a time."""
    if isinstance(found.what, Span):
        span: Span | None = found.what
    elif since is None:
        span = latest(found.what, now)
    else:
        span = next((each for each in times(found.what, since) if each.start >= since), None)
    return span if span is None or found.part is None else part_of(span, found.part)
