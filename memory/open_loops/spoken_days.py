"""Days as chats spell them, in the words by which times are read: "tmrw", "weds", "finde". Pure."""

# ruff: noqa: E501 - tables

from __future__ import annotations

import re
from typing import Final

from memory.text import date_words as words

# In lower case, whole words.
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
_GUARDED: Final = {"monday", "saturday", "sunday"}  # "sat" and "sun" are words, too


def spelled(text: str) -> str:
    """Return a text in lower case, its days spelled as `memory.text.date_words` reads them."""
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
