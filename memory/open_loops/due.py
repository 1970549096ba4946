"""The day that "tomorrow", "by Friday" or "am 5." mean, seen from when it was said. Pure.

For English, German, Spanish, Portuguese and Russian: the words are those by which search reads
times that are over (`memory.text.date_words`); here they are read forwards. A week or a
month is due on its last day, a stretch from one day to another on its first.
"""

# ruff: noqa: E501 - patterns and tables

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple

from dateutil.relativedelta import relativedelta

from memory.text import date_words as words
from memory.text.date_words import Rules
from memory.text.recurring import AGO, LAST, NEXT, THIS, UNIT

MAX_CHARS: Final = 400
_MONTH_DAYS: Final = 31
_YEAR_MONTHS: Final = 12
_LEAD_CHARS: Final = 48
_UNITS: Final = (*UNIT, "weekend")
_NOON: Final = 11
_SOON_DAYS: Final = 8
_LONGEST: Final = 800  # days ahead
_NEARLY_A_WEEK: Final = 6
_NEXT_WEEK: Final = (words.RULES[0], words.RULES[1], words.RULES[4])
"""Where "next Friday" is that of next week; elsewhere it is the coming one."""
_THE_NTH: Final = re.compile(
    r"(?<!\w)the (?P<day>\d{1,2})(?:st|nd|rd|th)(?!\w)(?! (?:floor|time|of|one|grade))"
)
_YEAR: Final = re.compile(r"\s*,?\s*(?:of\s+|de\s+|del\s+)?(20\d\d)(?!\d)")
# Chats spell days as they are spoken; in lower case, whole words.
_SPOKEN: Final = {
    "tmr|tmrw|tmw|tomoz|tomo|2moro|2morrow|tomoro|tomorow|tommorow|tommorrow|tmoz|the morra|2mrw": "tomorrow",
    "tonite|2nite|2night|tnite|tonigh": "tonight",
    "this arvo|this avo|after work|this aft|later today|later on today|end of (?:the )?day|eod"
    "|close of business|cob|before bed|at lunch": "today",
    "mon": "monday", "tue|tues": "tuesday", "wed|weds|wednes|wedensday|wensday": "wednesday",
    "thu|thur|thurs|thrus": "thursday", "fri": "friday", "sat|saturdy": "saturday", "sun(?= |$|,|\\.)(?! is)": "sunday",
    "amanhã|amanha|amnh": "amanhã", "manana": "mañana", "sabado": "sábado", "miercoles": "miércoles",
    "terca": "terça", "heut": "heute", "heut abend|heute abend|heute nacht|nachher|heut nachmittag": "heute",
    "ubermorgen|uebermorgen": "übermorgen", "proxima": "próxima", "proximo": "próximo",
    "esta noche|hoy|luego|al rato|esta tarde": "hoy", "hoje|hj|hoje à noite|mais tarde|logo mais": "hoje",
    "сегодня|вечером|сёдня|седня|щас": "сегодня", "завтр[ао]|завтра": "завтра",
    "finde|el finde": "fin de semana", "d": "de",
    "пн": "понедельник", "вт": "вторник", "ср": "среда", "чт": "четверг", "пт": "пятница", "сб": "суббота",
    "вс": "воскресенье",
}  # fmt: skip
_SPELLINGS: Final = [
    (re.compile(rf"(?<![\w'])(?P<gap> ?)(?:{said})(?![\w])"), meant)
    for said, meant in _SPOKEN.items()
]
# "na sexta", "quinta 20h": weekdays without their "-feira".
_FEIRA: Final = re.compile(
    r"(?<!\w)(segunda|terça|quarta|quinta|sexta)(?=\s+(?:\d{1,2}\s*h|às|as \d|de manhã|à noite|à tarde|cedo|quando))"
    r"|(?<=na )(segunda|terça|quarta|quinta|sexta)(?![\w-])"
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
_GUARDED: Final = {"monday", "saturday", "sunday"}  # "sat" and "sun" are words, too
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

    `at` is where in the sentence. `is_limit`: "by", "before"; `is_goal`: "moved to".
    """

    at: int
    to: int
    first: date
    last: date
    is_limit: bool = False
    is_goal: bool = False
    is_denied: bool = False

    @property
    def due(self) -> date:
        """The day it has to be done by; of some days in a row that have names, the first."""
        return self.last


def due_day(sentence: str, at: datetime) -> date | None:
    """Return the day a sentence sets, or None; `at` is in the zone of whoever said it."""
    ahead = [each for each in times(sentence, at) if each.last >= at.date()]
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
    text = _spelled(sentence[:MAX_CHARS])
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


def _spelled(text: str) -> str:
    low = _FEIRA.sub(lambda found: f"{found[0]}-feira", text.translate(words.APOSTROPHES).lower())
    for rule, meant in _SPELLINGS:
        if meant in _GUARDED and not _names_a_day(low, meant):
            continue
        low = rule.sub(rf"\g<gap>{meant}", low)
    return low


def _names_a_day(text: str, day: str) -> bool:
    """Tell whether "sat", "sun" and "mon" stand as days: by a preposition, a time, or alone."""
    short = day[:3]
    return bool(
        re.search(
            rf"(?<!\w)(?:on|by|this|next|until|til|till|before|for|from|do|of) {short}(?!\w)"
            rf"|(?<!\w){short}\.? (?:at|\d|the|am|pm|morning|night|evening|afternoon|lunch|or|and|\w+day)"
            rf"|(?<!\w){short}\W*$|^{short}(?!\w)|(?<!\w)(?:me|is) {short} \d",
            text,
        )
    )


def _named(rules: Rules, text: str, at: datetime) -> Iterator[When]:
    today = at.date()
    for match in _THE_NTH.finditer(text) if rules is words.RULES[0] else ():
        day = _next_monthday(int(match["day"]), today)
        if day:
            yield _told(text, match.start("day"), match.end(), (day, day))
    for match in rules.time.finditer(text):
        if match["skip"]:
            continue
        lead = rules.lead.search(text[max(0, match.start() - _LEAD_CHARS) : match.start()])
        is_ahead = bool(lead and lead["ahead"])
        days = _days(rules, match, today, is_ahead, bool(lead and lead["late"]))
        if days is None or (lead and (lead["each"] or lead["ago"])):
            continue
        if (days[0] - today).days > _LONGEST:
            continue
        number = _WEEKDAY_NUMBER.match(text, match.end()) if match["weekday"] else None
        exact = _on_weekday(int(number["day"]), days[0].weekday(), today) if number else None
        if number and exact:
            yield _told(text, match.start(), number.end(), (exact, exact))
            continue
        yield _told(text, match.start(), match.end(), days)


def _numbered(text: str, at: datetime) -> Iterator[When]:
    """Yield days of the month that stand alone: "dia 18", "31го", "на девятое"."""
    for rule in (_MONTHDAY, _RUSSIAN_DAY):
        for match in rule.finditer(text):
            told = next(one for one in match.groups() if one)
            day = int(told) if told.isdecimal() else _ordinal(told)
            found = _next_monthday(day, at.date()) if day else None
            if found:
                yield _told(text, match.start(), match.end(), (found, found))


def _ordinal(told: str) -> int:
    return next((n for n, each in enumerate(_RUSSIAN_DAYS, 1) if re.fullmatch(each, told)), 0)


def _told(text: str, start: int, end: int, days: tuple[date, date]) -> When:
    before = text[max(0, start - _LEAD_CHARS) : start]
    return When(
        start,
        end,
        *days,
        is_limit=bool(_UNTIL.search(before)),
        is_goal=bool(_TO.search(before)),
        is_denied=bool(_NOT.search(before)),
    )


def _days(
    rules: Rules, match: re.Match[str], today: date, is_ahead: bool, is_late: bool
) -> tuple[date, date] | None:
    """Return the first and the last day that an expression means."""
    if match["offset"]:
        day = today + timedelta(days=_index(rules.days, match["offset"]) - 2)
        return day, day
    if match["day_month"] or match["month_day"]:
        found = _of_month(rules, match, today)
        return (found, found) if found else None
    if match["monthday"]:
        found = _next_monthday(int(match["monthday"]), today)
        return (found, found) if found else None
    which = _index(rules.before, match["before"]) if match["before"] else None
    which = _index(rules.behind, match["behind"]) if match["behind"] else which
    if which == AGO:
        return None
    if match["unit"]:
        return _unit(rules, match, today, which, is_ahead, is_late)
    if match["weekday"]:
        weekday = _index(rules.weekdays, match["weekday"])
        ahead = (weekday - today.weekday()) % 7
        if which is not None and which <= LAST:
            day = today - timedelta(days=7 - ahead if ahead else 7)
        elif which == NEXT and ahead < _NEARLY_A_WEEK and rules in _NEXT_WEEK:
            monday = today - timedelta(days=today.weekday())
            day = monday + timedelta(days=7 + weekday)
        else:
            day = today + timedelta(days=ahead or 7)
        return day, day
    if match["month"]:
        if which is None and not is_ahead:
            return None
        month = _index(rules.months, match["month"].rstrip(".")) + 1
        first = date(today.year + (month < today.month), month, 1)
        return first, first + relativedelta(day=_MONTH_DAYS)
    return None


def _unit(
    rules: Rules,
    match: re.Match[str],
    today: date,
    which: int | None,
    is_ahead: bool,
    is_late: bool,
) -> tuple[date, date] | None:
    """Return "next week", "in two weeks", "this weekend", "the end of the month"."""
    unit = _UNITS[_index(rules.units, match["unit"])]
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
    month = _index(rules.months, (match["day_month"] or match["month_day"]).rstrip(".")) + 1
    told = match["of_month"] or match["from"] or match["day"]
    day = int(told) if told.isdecimal() else _index(rules.ordinals, told) + 1
    year = _YEAR.match(match.string, match.end())
    return _date(day, month, int(year[1]) if year else None, today)


def _date(day: int, month: int, year: int | None, today: date) -> date | None:
    """Return a date, in its year or the next time that it comes."""
    try:
        if year is not None:
            return date(year, month, day)
        found = date(today.year, month, day)
        # What is just over is told of, not planned: half a year ahead is nearer than a year back.
        return found if (today - found).days < 90 else date(today.year + 1, month, day)
    except ValueError:
        return None


def _next_monthday(day: int, today: date) -> date | None:
    for months in range(3):
        first = today.replace(day=1) + relativedelta(months=months)
        found = first + relativedelta(day=day)
        if found.day == day and found >= today:
            return found
    return None


def _on_weekday(day: int, weekday: int, today: date) -> date | None:
    """Return the next date of that number if it falls on that weekday."""
    found = _next_monthday(day, today)
    return found if found and found.weekday() == weekday else None


def _count(rules: Rules, text: str | None) -> int | None:
    if not text:
        return None
    if text.isdecimal():
        return int(text)
    value = _index(rules.numbers, text) + 1
    return value if value < len(rules.numbers) else 3


def _index(patterns: tuple[re.Pattern[str], ...], text: str) -> int:
    return next(i for i, each in enumerate(patterns) if each.fullmatch(text))


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
        found = _date(day, month, int(year) % 100 + 2000 if year else None, at.date())
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
