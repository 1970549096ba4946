"""When something was written or happened, in words: "3 May 2025", "2. Mai 2025". Pure."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from dateutil.relativedelta import relativedelta

from graph.models.offline.frames import Frames
from memory.text.dates import Span, spans

MAX_TIMES: Final = 2
"""So many times of one quote are placed in the calendar."""

# By the most days of a unit, how the clock is moved to see whether a time moves along with it, as
# "yesterday" and "last month" do. One that does not may as well lie ahead: "on Friday", "7 June".
_STEPS: Final = {
    1: tuple(relativedelta(days=n) for n in (1, 2, 3)),
    7: tuple(relativedelta(weeks=n) for n in (1, 2)),
    31: tuple(relativedelta(months=n) for n in (1, 2)),
    366: tuple(relativedelta(years=n) for n in (1, 2)),
}
_LEAST_DAYS: Final = {1: 1, 7: 7, 31: 28, 366: 365}


def in_words(when: datetime, frames: Frames) -> str:
    """Return a day in words."""
    month = frames.of_months[when.month - 1]
    return frames.day.format(day=when.day, month=month, year=when.year)


def placed(text: str, said_at: datetime, frames: Frames) -> list[str]:
    """Return the days, weeks, months and years that a text counts from when it was said, in words.

    "I fell yesterday" of 3 May tells of 2 May. The day itself is left out, and what may lie ahead.
    """
    found = [
        told
        for span in spans(text, said_at)
        if not span.start <= said_at < span.end and (told := _counted(span, text, said_at, frames))
    ]
    return list(dict.fromkeys(found))[:MAX_TIMES]


def _counted(span: Span, text: str, said_at: datetime, frames: Frames) -> str:
    """Return a span in words if it is counted from when it was said, else nothing."""
    days = (span.end - span.start).days
    unit = next((most for most, least in _LEAST_DAYS.items() if least <= days <= most), 0)
    if not unit:
        return ""
    for step in _STEPS[unit]:
        if Span(span.start + step, span.end + step) not in spans(text, said_at + step):
            return ""
    if unit == 1:
        return in_words(span.start, frames)
    if unit == 7:
        return frames.week.format(in_words(span.start, frames))
    month = frames.months[span.start.month - 1]
    year = span.start.year
    return frames.month.format(month=month, year=year) if unit == 31 else str(year)
