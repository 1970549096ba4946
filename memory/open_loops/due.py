"""The day that "tomorrow", "by Friday" or "am 5." mean, seen from when it was said. Pure.

For English, German, Spanish, Portuguese and Russian: the words are those by which search reads
times that are over (`memory.text.date_words`), in any spelling; here they are read forwards. A week
or a month is due on its last day, a stretch from one day to another on its first.
"""

# ruff: noqa: E501 - patterns

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple

from memory.open_loops.days_meant import (
    days_meant,
    next_date,
    next_monthday,
    on_weekday,
    year_after,
)
from memory.open_loops.spoken_days import spelled
from memory.open_loops.told_of import is_told_of
from memory.text import date_words as words
from memory.text.date_words import LEAD_CHARS, Rules

DUE_VERSION: Final = "due/2"
"""With another one the same words may have another day: what is open is read anew."""
MAX_CHARS: Final = 400
_YEAR_MONTHS: Final = 12
_NOON: Final = 11
_SOON_DAYS: Final = 8
_LONGEST: Final = 800  # days ahead
_THE_NTH: Final = re.compile(
    r"(?<!\w)the (?P<day>\d{1,2})(?:st|nd|rd|th)(?!\w)(?! (?:floor|time|of|one|grade))"
)
_RUSSIAN_DAYS: Final = (
    "перв втор треть|трет четв[её]рт пят шест седьм восьм девят десят одиннадцат двенадцат тринадцат"
    " четырнадцат пятнадцат шестнадцат семнадцат восемнадцат девятнадцат двадцат двадцать\\s+перв"
    " двадцать\\s+втор двадцать\\s+трет двадцать\\s+четв[её]рт двадцать\\s+пят двадцать\\s+шест"
    " двадцать\\s+седьм двадцать\\s+восьм двадцать\\s+девят тридцат тридцать\\s+перв"
).split()
_RUSSIAN_DAY: Final = re.compile(
    r"(?<!\w)(?:(?<=на )|(?<=до )|(?<=к )|(?<=у )|(?<=цу )|(?<=рг )|(?<=ик )|(?=\S+\s+числа))"
    rf"(?P<day>{'|'.join(_RUSSIAN_DAYS[::-1])})(?:ого|его|ьего|ье|ое|ому)(?!\w)"
)
_MONTHDAY: Final = re.compile(
    r"(?<!\w)(?:(?:dia|día|o dia)\s+(?P<day>\d{1,2})(?![\w:.,]\d|\w)(?!\s+d[eo]\s+[a-zç]{4,})"
    r"|(?P<nth>\d{1,2})-?(?:го|е)(?![\w])(?!\s+(?:[а-я]+[ая]ря|марта|апреля|мая|июня|июля|августа))"
    r"|(?P<this>\d{1,2})\s+(?:de este mes|deste mes|этого месяца|dieses monats))"
)
_WEEKDAY_NUMBER: Final = re.compile(
    r"(?:\s+|,\s*)(?:de[nm]\s+|dia\s+|día\s+)?(?P<day>\d{1,2})(?!\w|[:.,]\d|\s*(?:h|uhr|am|pm|ч|de |o'clock))"
)
_MORNING: Final = re.compile(
    r"(?<!\w)(?:in the morning|int morning|first thing|morgen früh|por la mañana|de manhã|утром)(?!\w)"
)
_CLOCK: Final = re.compile(
    r"(?<!\w)(?:(?:at|by|before|around|til|till|um|gegen|bis|a las|a la|sobre las|às|as|lá pelas|в|к|до)\s+"
    r"(?P<hour>\d{1,2})(?:[:.h](?P<minute>\d\d))?(?:\s*(?P<half>am|pm|uhr|h|часов|часа))?"
    r"|(?P<bare>\d{1,2})(?:[:.](?P<past>\d\d))?\s*(?P<side>am|pm|uhr|часов))(?![\w.:]\d|\w)(?!\s*%)"
)
_UNTIL: Final = re.compile(
    r"(?<!\w)(?:by|before|until|till|til|no later than|bis(?: zum)?|spätestens|vor|para|antes del?|hasta"
    r"|até|antes d[aeo]|pra|до|к|не позже)(?:\s+\w+){0,2}\s*$"
)
_TO: Final = re.compile(
    r"(?<!\w)(?:to|on to|onto|auf|al?|para|pra|на)(?:\s+(?:the|den|el|o|a))?\s*$"
)
_NOT: Final = re.compile(
    r"(?<!\w)(?:not|nicht|no|não|не)\s+(?:on\s+|am\s+|el\s+|n[ao]\s+|в\s+|на\s+)?$"
)


class When(NamedTuple):
    """A time that a sentence names: its first and last day, and how it is told.

    `at` is where in the sentence. `is_limit`: "by", "before"; `is_goal`: "moved to"; `is_over`: it
    is told of, as what has been, and only read forwards.
    """

    at: int
    to: int
    first: date
    last: date
    is_limit: bool = False
    is_goal: bool = False
    is_denied: bool = False
    is_over: bool = False

    @property
    def due(self) -> date:
        """The day it has to be done by; of some days in a row that have names, the first."""
        return self.last


def due_day(sentence: str, at: datetime) -> date | None:
    """Return the day a sentence sets, or None; `at` is in the zone of whoever said it."""
    named = [each for each in times(sentence, at) if not each.is_over]
    ahead = [each for each in named if each.last >= at.date()]
    kept = [each for each in ahead if not each.is_denied] or ahead
    if not kept:
        return None
    for wanted in ("is_goal", "is_limit"):
        told = [each for each in kept if getattr(each, wanted)]
        if told:
            return told[-1 if wanted == "is_goal" else 0].due
    return kept[0].due


def timing(sentence: str, at: datetime) -> list[float]:
    """Return whether a sentence names a time ahead, today, soon, later, one gone, or the clock."""
    found, today = times(sentence, at), at.date()
    ahead = [each for each in found if each.last >= today and not each.is_denied]
    days = [(each.last - today).days for each in ahead]
    return [
        float(bool(ahead)),
        float(0 in days),
        float(any(0 < each <= _SOON_DAYS for each in days)),
        float(any(each > _SOON_DAYS for each in days)),
        float(any(each.last < today for each in found)),
        float(bool(_CLOCK.search(sentence.lower()))),
    ]


def times(sentence: str, at: datetime) -> list[When]:
    """Return the times a sentence names, in order, none longer than a month."""
    text = spelled(sentence[:MAX_CHARS])
    found: list[When] = []
    try:
        found += _numbered(text, at)
        if words.HINT.search(text):
            for rules in words.RULES:
                found += _named(rules, text, at)
            found += _numeric(text, at)
    except (ValueError, OverflowError):  # beyond the last year that there is
        return []
    found.sort(key=lambda each: (each.at, -each.to))
    kept: list[When] = []
    for each in found:
        if kept and each.at < kept[-1].to:
            continue
        # "Sunday the 13th", "Wednesday 17th": one day, which the number tells.
        if kept and re.fullmatch(
            r"[\s,]*(?:the|den|el|dia|o|a|d[ae]l?)?\s*", text[kept[-1].to : each.at]
        ):
            is_named = kept[-1].first == kept[-1].last
            if is_named and each.first == each.last:
                kept[-1] = each._replace(
                    at=kept[-1].at, is_limit=kept[-1].is_limit, is_goal=kept[-1].is_goal
                )
                continue
        kept.append(each)
    if not kept:
        kept = list(_by_the_clock(text, at))
    return kept


def _named(rules: Rules, text: str, at: datetime) -> Iterator[When]:
    today = at.date()
    for match in _THE_NTH.finditer(text) if rules is words.RULES[0] else ():
        day = next_monthday(int(match["day"]), today)
        if day:
            yield _told(text, match.start("day"), match.end(), (day, day))
    for match in rules.time.finditer(text):
        if match["skip"]:
            continue
        lead = rules.lead.search(text[max(0, match.start() - LEAD_CHARS) : match.start()])
        is_ahead = bool(lead and lead["ahead"])
        days = days_meant(rules, match, today, is_ahead, bool(lead and lead["late"]))
        if days is None or (lead and (lead["each"] or lead["ago"])):
            continue
        if (days[0] - today).days > _LONGEST:
            continue
        number = _WEEKDAY_NUMBER.match(text, match.end()) if match["weekday"] else None
        exact = on_weekday(int(number["day"]), days[0].weekday(), today) if number else None
        if number and exact:
            yield _told(text, match.start(), number.end(), (exact, exact))
            continue
        is_month = match["month"] or match["day_month"] or match["month_day"]
        is_bare = bool(is_month) and not year_after(match)
        yield _told(text, match.start(), match.end(), days, is_bare=is_bare)


def _numbered(text: str, at: datetime) -> Iterator[When]:
    """Yield days of the month that stand alone: "dia 18", "31го", "на девятое"."""
    for rule in (_MONTHDAY, _RUSSIAN_DAY):
        for match in rule.finditer(text):
            told = next(one for one in match.groups() if one)
            day = int(told) if told.isdecimal() else _ordinal(told)
            found = next_monthday(day, at.date()) if day else None
            if found:
                yield _told(text, match.start(), match.end(), (found, found))


def _ordinal(told: str) -> int:
    return next((n for n, each in enumerate(_RUSSIAN_DAYS, 1) if re.fullmatch(each, told)), 0)


def _told(
    text: str, start: int, end: int, days: tuple[date, date], *, is_bare: bool = False
) -> When:
    before = text[max(0, start - LEAD_CHARS) : start]
    is_limit, is_goal = bool(_UNTIL.search(before)), bool(_TO.search(before))
    return When(
        start,
        end,
        *days,
        is_limit=is_limit,
        is_goal=is_goal,
        is_denied=bool(_NOT.search(before)),
        is_over=not is_limit and is_told_of(text, start, end, is_bare=is_bare and not is_goal),
    )


def _numeric(text: str, at: datetime) -> Iterator[When]:
    """Yield dates in digits: 24.4., 24/04/2026, 2026-04-24."""
    for match in words.NUMERIC.finditer(text):
        if match["one"] or match["of_year"] or words.COUNTED.match(text, match.end()):
            continue
        year = match["iso"] or match["year"]
        month = int(match["iso_month"] or match["month"])
        day = int(match["iso_day"] or match["day"] or 0)
        if match["sep"] == "." and not year and month > _YEAR_MONTHS:
            continue
        day, month = (month, day) if month > _YEAR_MONTHS and match["day"] else (day, month)
        full = int(year) + 2000 * (len(year) < len("2026")) if year else None
        found = next_date(day, month, full, at.date())
        if found:
            yield _told(text, match.start(), match.end(), (found, found))


def _by_the_clock(text: str, at: datetime) -> Iterator[When]:
    """Yield tomorrow for "in the morning", today for an hour that is still to come."""
    today = at.date()
    morning = _MORNING.search(text)
    if morning:
        day = today + timedelta(days=int(at.hour >= _NOON))
        yield _told(text, *morning.span(), (day, day))
        return
    clock = _CLOCK.search(text)
    if not clock:
        return
    hour = int(clock["hour"] or clock["bare"])
    side = clock["half"] or clock["side"] or ""
    hour += 12 * (hour < 12 and (side == "pm" or (not side and hour <= at.hour)))
    if at.hour < hour <= 23:
        yield _told(text, *clock.span(), (today, today))
