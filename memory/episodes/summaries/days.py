"""Relative days with their dates beside them: "tomorrow" -> "tomorrow (3 May)". Pure."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import Final

MONTHS: Final = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre"
    " diciembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro"
    " dezembro",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
}
_FORM: Final = {"en": "{} {}", "de": "{}. {}", "es": "{} de {}", "pt": "{} de {}", "ru": "{} {}"}
_PART: Final = (
    r"(?:\s+(?:morning|afternoon|evening|night|früh|vormittag|mittag|nachmittag|abend|nacht|morgen"
    r"|утром|днём|вечером))?"
)
# The day before yesterday to the day after tomorrow.
_DAYS: Final = (
    r"day\s+before\s+yesterday|vorgestern|anteayer|antes\s+de\s+ayer|anteontem|позавчера",
    r"yesterday|last\s+night|gestern(?!\s+und)|ayer|anoche|ontem|вчера",
    rf"today|tonight|this\s+(?:morning|afternoon|evening)|heute{_PART}|hoy|esta\s+noche|hoje|сегодня{_PART}",
    rf"tomorrow{_PART}|(?-i:(?<!heute\s)(?<!gestern\s)(?<!jeden\s)morgen){_PART}|(?<!la\s)(?<!de\s)(?<!esta\s)mañana"
    rf"|amanhã|завтра{_PART}",
    r"day\s+after\s+tomorrow|übermorgen|pasado\s+mañana|depois\s+de\s+amanhã|послезавтра",
)
_WEEKDAYS: Final = (
    r"monday|montag|lunes|segunda(?:-feira)?|понедельник",
    r"tuesday|dienstag|martes|terça(?:-feira)?|вторник",
    r"wednesday|mittwoch|miércoles|quarta(?:-feira)?|среду",
    r"thursday|donnerstag|jueves|quinta(?:-feira)?|четверг",
    r"friday|freitag|viernes|sexta(?:-feira)?|пятницу",
    r"saturday|samstag|sonnabend|sábado|субботу",
    r"sunday|sonntag|domingo|воскресенье",
)
_ON: Final = (
    r"(?:on|this|by|until|till|am|bis|diesen|kommenden|el|este|para\s+el|na|no|neste|nesta"
    r"|во?|к|до)"
)
_DAY: Final = re.compile(
    "|".join(rf"(?P<d{at}>(?<!\w)(?:{words})(?!\w))" for at, words in reversed([*enumerate(_DAYS)]))
    + "|"
    + "|".join(
        rf"(?P<w{at}>(?<!\w){_ON}\s+(?:{words})(?!\w))" for at, words in enumerate(_WEEKDAYS)
    ),
    re.IGNORECASE,
)
_AHEAD_DATE: Final = re.compile(
    r"\W{0,3}(?:the\s+|den\s+|el\s+|dia\s+)?\d{1,2}(?:st|nd|rd|th|\.|\s+de\s|\s+\w{3,}|/)"
)
# A weekday beside these may as well lie behind.
_BEHIND: Final = re.compile(
    r"(?<!\w)(?:was|were|had|did|went|got|came|said|told|bought|\w+ed|war|waren|hatte\w*|ist|sind|habe|hat"
    r"|wurde|fue|era|estuv\w+|hizo|tuv\w+|compr[éó]|dij\w+|foi|estava|teve|tive|fiz|был[аои]?|сказал\w*"
    r"|купил\w*|\w+л[аи]?сь|since|seit|desde|ago|last|letzte\w*|pasado|passad[oa]|прошл\w+)(?!\w)",
    re.IGNORECASE,
)


def date_in_words(day: date, language: str) -> str:
    """Return a day and its month in a language: `3 May`."""
    return _FORM[language].format(day.day, MONTHS[language].split()[day.month - 1])


def dated(text: str, at: datetime, language: str) -> str:
    """Return a text in which relative days have their dates behind them.

    A weekday is the next one after the message's day; where it may as well be a past one, or is the
    message's own, it stays as it is.
    """
    told = []
    end = 0
    for found in _DAY.finditer(text):
        day = _meant(found, text, at.date())
        if day is None or _AHEAD_DATE.match(text, found.end()):
            continue
        told += [text[end : found.end()], f" ({date_in_words(day, language)})"]
        end = found.end()
    return "".join(told) + text[end:]


def _meant(found: re.Match[str], text: str, today: date) -> date | None:
    name = found.lastgroup or ""
    number = int(name[1:])
    if name.startswith("d"):
        return today + timedelta(days=number - 2)
    ahead = (number - today.weekday()) % 7
    return today + timedelta(days=ahead) if ahead and not _BEHIND.search(text) else None
