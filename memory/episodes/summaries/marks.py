"""Particulars in a clause: numbers, money, times, names, links. Pure.

Times and numerals in English, German, Spanish, Portuguese and Russian.
"""

from __future__ import annotations

import re
from typing import Final

from memory.episodes.summaries.cues import any_of

TIMES: Final = any_of(
    r"""(?:mon|tues|wednes|thurs|fri|satur|sun)days? (?:mon|tue|wed|thu|fri|sat|sun)
    january|february|march|april|june|july|august|september|october|november|december
    jan|feb|apr|aug|sept?|oct|nov|dec (?:in|by|until|since|of)\s+may \d+\s+may may\s+\d+
    tomorrow|yesterday|tonight|today|next\s+\w+|last\s+\w+|weekend|noon|midnight|o'?clock|[ap]m
    (?:mon|diens|donners|frei|sams|sonn)tag\w*|mittwoch\w*|morgen|gestern|heute|übermorgen|nächste\w*|letzte\w*|wochenende|uhr|januar|februar|märz|mai|juni|juli|oktober|dezember
    lunes|martes|miércoles|jueves|viernes|sábado|domingo|mañana|ayer|hoy|próxim[oa]|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|semana
    segunda|terça|quarta|quinta|sexta|amanhã|ontem|hoje|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro
    понедельник\w*|вторник\w*|сред[ауы]|четверг\w*|пятниц\w+|суббот\w+|воскресень\w+|завтра|вчера|сегодня|послезавтра|январ\w+|феврал\w+|март\w*|апрел\w+|ма[яе]|июн\w+|июл\w+|август\w*|сентябр\w+|октябр\w+|ноябр\w+|декабр\w+|недел\w+|выходны\w+"""
)
LINK: Final = re.compile(r"https?://[^\s<>()]+|www\.[^\s<>()]+")
MEDIA: Final = re.compile(r"\[[A-Z][A-Za-z ]{2,24}\](?!\()")
NUMBER: Final = re.compile(r"\d+(?:[.,:/-]\d+)*")
MONEY: Final = re.compile(
    r"[€$£₽]|\b(?:euros?|eur|usd|dollars?|pounds?|bucks|reais|pesos|руб\w*|тысяч\w*|грив\w+)\b",
    re.IGNORECASE,
)
NAME: Final = re.compile(r"(?<=[^\W_.!?…:]\s)(?-i:[A-ZÄÖÜÀ-ÞА-ЯЁ])[^\W\d_]{2,}")
NUMERAL: Final = any_of(
    r"""two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|half|dozen|hundred|thousand
    zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|dreißig|hundert|tausend|halb
    dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|veinte|treinta|cien|mil
    dois|duas|três|quatro|sete|oito|nove|dez|doze|vinte|trinta|cem
    дв[ае]|три|четыре|пять|шесть|семь|восемь|девять|десять|двадцать|тридцать|сто|тысяч\w*|пол\w+"""
)
DUE: Final = re.compile(
    r"(?<!\w)(?:by|until|till|before|no\s+later\s+than|closes?|deadline|bis|spätestens|hasta|antes\s+del?|plazo"
    r"|até|prazo|до|не\s+позже)\s+(?:\S+\s+){0,3}?(?:\d|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|mai|ju[nl]"
    r"|aug|sep|o[ck]t|nov|de[zc]|ende?|lunes|viernes|sexta|segunda|понедел|втор|сред|четв|пятн|суб|воскр|конца)",
    re.IGNORECASE,
)
