"""The head of a WhatsApp line: its date and clock, in whatever form the phone writes them. Pure.

A phone writes all lines of an export in one form, so the first line decides it. What looks like a
head of another form further down was pasted into a message.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import lru_cache
from typing import NamedTuple

from channels.exports.export import DateOrder

MARKS = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
"""Direction marks and isolates, which WhatsApp puts around names and before its own words."""
HEAD_LENGTH = 48
"""Characters within which a head ends; the longest known has about 30."""
_YEARS = range(1990, 2200)
_BUDDHIST_SINCE, _BUDDHIST_OFFSET = 2400, 543

_FIRST_HALF = (
    "am vorm дп ص قظ पूर्वाह्न मपू πμ öö לפנהצ pg sa fm ip dop de 上午 凌晨 清晨 早上 午前 오전"
)
_SECOND_HALF = "pm nachm пп م بظ अपराह्न मउ μμ ös אחהצ ptg ch em odp du 下午 中午 晚上 午後 오후"
PERIODS = {
    **dict.fromkeys(_FIRST_HALF.split(), 0),
    **dict.fromkeys(_SECOND_HALF.split(), 12),
}
"""Names of a day's halves, without dots, quotes and spaces, to the hours they add.

Source: Unicode CLDR, dayPeriods, abbreviated and narrow.
"""

_NO_HALF = "ч"
"""What Bulgarian clocks of 24 hours say behind them."""
_NOT_IN_HALVES = re.compile(r"[.\s\"'״׳]")
_DIGITS = re.compile(r"\d+")
_GENERIC = re.compile(
    r"(?P<open>\[)?"
    r"(?P<date>(?P<a>\d{1,4})(?P<sep>[./-]|년)\s?\d{1,2}(?:(?P=sep)|월)\s?(?P<c>\d{1,4}))[.일]?"
    r"(?P<gap>[,،]?\s(?:(?:klo|kl\.|um|à|às|a las|alle|в|г\.,?)\s)?)"
    r"(?:(?P<before>[^\W\d_]{2,4})\s?)?"
    r"(?P<clock>\d{1,2}(?P<colon>[:.]|\sh\s)\d{2}"
    r"(?:(?:(?P=colon)|\smin\s)(?P<second>\d{2}(?:\ss\b)?))?)"
    r"(?:\s?(?P<after>[^\W\d_][^\d\]\[\-–—:/]{0,14}?))?"
    r"(?(open)\](?:\s|$)|(?:\s[-–—](?:\s|$)|(?P<comma>,\s)))"
)


class Head(NamedTuple):
    """A line that begins a message: its date as written, the time of day, and what follows."""

    date: str
    clock: time
    rest: str


@dataclass(frozen=True, slots=True)
class Form:
    """How one export writes its heads."""

    pattern: re.Pattern[str]
    in_brackets: bool
    separator: str
    orders: tuple[DateOrder, ...]
    """Orders of day, month and year that the form allows."""

    def read(self, line: str) -> Head | None:
        """Read a line that begins a message; None for one that goes on with it."""
        match = self.pattern.match(line)
        if match is None:
            tidied = tidy_start(line)
            match = None if tidied is line else self.pattern.match(tidied)
            if match is None:
                return None
            line = tidied
        at = _clock(match["clock"], match["before"] or match["after"] or "")
        return None if at is None else Head(match["date"], at, line[match.end() :])


def tidy_start(line: str) -> str:
    """Drop direction marks where a head may stand; return the line, itself if there are none."""
    if line.isascii():
        return line
    start = line[:HEAD_LENGTH]
    if not any(mark in start for mark in MARKS):
        return line
    start = start.lstrip(MARKS)
    if not start or not (start[0] == "[" or start[0].isdigit()):
        return line
    if _GENERIC.match(start) is None:
        start = "".join(char for char in start if char not in MARKS)
    return start + line[HEAD_LENGTH:]


def recognise(line: str) -> Form | None:
    """Return the form in which a line's head is written; None where there is no head."""
    match = _GENERIC.match(tidy_start(line))
    if match is None or _clock(match["clock"], match["before"] or match["after"] or "") is None:
        return None
    first, last, separator = len(match["a"]), len(match["c"]), match["sep"]
    if 3 in (first, last) or first == last == 4:
        return None
    if match["comma"] and not (first == 4 and separator in ".년"):
        return None  # Korean alone ends a head so
    orders: tuple[DateOrder, ...] = ("dmy", "mdy", "ymd")
    years = (r"\d{1,2}", r"\d{1,2}")
    if first == 4:
        orders, years = ("ymd",), (r"\d{4}", r"\d{1,2}")
    elif last == 4:
        orders, years = ("dmy", "mdy"), (r"\d{1,2}", r"\d{4}")
    form = Form(_specialise(match, *years), bool(match["open"]), separator, orders)
    if all(day_of(match["date"], order) is None for order in orders):
        return None
    return form


def _specialise(match: re.Match[str], first: str, last: str) -> re.Pattern[str]:
    """Build the pattern that takes this form only; without choices it is also faster."""
    separator = "[년월]" if match["sep"] == "년" else re.escape(match["sep"])
    colon = r"\sh\s" if "h" in match["colon"] else re.escape(match["colon"])
    before = r"(?P<before>[^\W\d_]{2,4})\s?" if match["before"] else "(?P<before>)"
    after = r"\s?(?P<after>[^\W\d_][^\d\]\[\-–—:/]{0,14}?)" if match["after"] else "(?P<after>)"
    second = rf"(?:{colon}|\smin\s)\d{{2}}(?:\ss\b)?" if match["second"] else ""
    dash = r",\s" if match["comma"] else r"\s[-–—](?:\s|$)"
    gap = r"[,،]?\s+" if len(match["gap"]) < 3 else re.escape(match["gap"])
    return re.compile(
        (r"\[" if match["open"] else "")
        + rf"(?P<date>{first}{separator}\s?\d{{1,2}}{separator}\s?{last})[.일]?{gap}{before}"
        + rf"(?P<clock>\d{{1,2}}{colon}\d{{2}}{second}){after}"
        + (r"\](?:\s|$)" if match["open"] else dash)
    )


@lru_cache(maxsize=16_384)
def _clock(text: str, period: str) -> time | None:
    """Read a time of day; None for one that no clock shows."""
    hour, minute, *more = (int(part) for part in _DIGITS.findall(text))
    if period:
        name = _NOT_IN_HALVES.sub("", period.casefold())
        half = PERIODS.get(name)
        if half is not None and hour <= 12:
            hour = hour % 12 + half
        elif name != _NO_HALF:
            return None
    second = more[0] if more else 0
    if hour > 23 or minute > 59 or second > 59:
        return None
    return time(hour, minute, second)


@lru_cache(maxsize=16_384)
def day_of(text: str, order: DateOrder) -> date | None:
    """Read a date as written; None for one that no calendar shows."""
    parts = dict(zip(order, (int(part) for part in _DIGITS.findall(text)), strict=True))
    year = parts["y"] + 2000 if parts["y"] < 100 else parts["y"]
    if year > _BUDDHIST_SINCE:
        year -= _BUDDHIST_OFFSET
    if year not in _YEARS:
        return None
    try:
        return date(year, parts["m"], parts["d"])
    except ValueError:
        return None


def moment_of(head: Head, order: DateOrder) -> datetime | None:
    """Return what a wall clock showed; None where the date does not exist in this order."""
    day = day_of(head.date, order)
    return None if day is None else datetime.combine(day, head.clock)
