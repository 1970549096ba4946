"""What a question asks for, and what kind of thing a line is, by their wording. Pure.

For English, German, Spanish, French, Portuguese, Italian and Russian.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from memory.recall.questions import is_first_person, only_asks
from memory.text.placeholders import says_nothing

_WHEN: Final = re.compile(
    r"\b(?:when|what (?:day|date|month|year|time)|how (?:long|old|often)"
    r"|how many (?:days|weeks|months|years)|since when|until when"
    r"|which (?:day|date|month|year|week)|birthday|before or after"
    r"|wann|wie (?:lange|oft|alt)|an welchem (?:tag|datum)|welches datum|geburtstag"
    r"|cuándo|qué (?:día|fecha|mes|año|hora)|cuánto (?:tiempo|hace|duró)|cumpleaños"
    r"|quand|quel jour|quelle date|combien de temps"
    r"|quando|que (?:dia|data|mês|ano|horas?)|há quanto|quanto tempo|aniversário"
    r"|когда|как долго|сколько (?:времени|дней|недель|месяцев|лет)|какого числа"
    r"|в каком (?:году|месяце)|день рождения)\b"
)
_TIME: Final = re.compile(
    r"\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:today|tomorrow|yesterday|tonight|noon"
    r"|midnight|january|february|march|april|june|july|august|september|october|november|december"
    r"|last|next|ago|since|until|weekend|week|month|year|spring|summer|autumn|fall|winter|heute"
    r"|morgen|gestern|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|januar|februar"
    r"|märz|mai|juni|juli|oktober|dezember|woche|monat|jahr|seit|hoy|mañana|ayer|lunes|martes"
    r"|miércoles|jueves|viernes|sábado|domingo|enero|febrero|marzo|abril|mayo|junio|julio|agosto"
    r"|septiembre|octubre|noviembre|diciembre|semana|mes|año|desde|hoje|amanhã|ontem|segunda|terça"
    r"|quarta|quinta|sexta|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro"
    r"|dezembro|mês|ano|сегодня|завтра|вчера|понедельник|вторник|сред[ау]|четверг|пятниц[ау]"
    r"|суббот[ау]|воскресенье|январ\w|феврал\w|март\w?|апрел\w|ма[йя]|июн\w|июл\w|август\w?"
    r"|сентябр\w|октябр\w|ноябр\w|декабр\w|недел\w+|месяц\w*|год\w?|лет)\b"
)
_AGENT: Final = re.compile(
    r"\b(?:did|had|were) you\b"
    r"|\bhave you (?:\w+ )?(?:said|told|suggested|recommended|advised|given)\b"
    r"|\byou (?:\w+ )?(?:said|told|suggested|recommended|advised|proposed|gave|quoted|listed"
    r"|mentioned|wrote|explained|named|came up|warned|reckoned|worked out|offered|called)\b"
    r"|\b(?:was|were|of|with|after|following|from|about) your (?:\w+ )?(?:advice|suggestions?"
    r"|recommendations?|tips?|answers?|plan|recipe|estimate|opinion|proposal|warning)\b"
    r"|\b(?:the|my) (?:assistant|chatbot|bot)\b"
    r"|\bdu (?:\w+ )?(?:gesagt|empfohlen|vorgeschlagen|geraten|genannt)"
    r"|\b(?:hast|rietst|schlugst) du\b"
    r"|\bdein(?:e|er|en)? (?:rat|vorschlag|vorschläge|tipp|empfehlung|antwort)"
    r"|\bme (?:dijiste|recomendaste|sugeriste|aconsejaste|propusiste|diste|explicaste)"
    r"|\btu (?:consejo|recomendación|sugerencia|propuesta|respuesta)|\basistente\b"
    r"|\bvocê (?:disse|sugeriu|recomendou|indicou|propôs|deu|me|falou|aconselhou|explicou|montou)"
    r"|\b(?:sua|seu) (?:sugestão|conselho|recomendação|resposta|dica)|\bassistente\b"
    r"|\bты (?:мне )?(?:сказал|советовал|посоветовал|предложил|говорил|рекомендовал|написал)\w*"
    r"|\bвы (?:мне )?(?:советовали|посоветовали|предложили|сказали)|\bтво[йи] совет"
    r"|\bассистент\w*"
)
_NOW: Final = re.compile(
    r"\b(?:now|nowadays|current(?:ly)?|at present|at the moment|these days|still|so far|latest"
    r"|in the end|final(?:ly)?|eventually|actually|end(?:ed|s)? up"
    r"|jetzt|nun|derzeit|aktuell\w*|zur ?zeit|momentan|inzwischen|mittlerweile|noch|letztlich"
    r"|schließlich|am ende|ahora|actual(?:mente)?|todavía|sigue|al final|en este momento"
    r"|maintenant|actuel(?:le)?(?:ment)?|toujours|finalement|agora|atual(?:mente)?|ainda"
    r"|no (?:fim|final)|enfim|finalmente|adesso|attual(?:e|mente)|ancora|alla fine"
    r"|сейчас|теперь|нынешн\w+|текущ\w+|в итоге|пока|ещ[её])\b"
)


class Signs(NamedTuple):
    """What kind of thing a line is."""

    asks: bool
    of_speaker: bool
    tells_time: bool
    is_media: bool


@lru_cache(maxsize=16_384)
def signs(text: str) -> Signs:
    """Return what a line is by its wording; the lines of a chat come up again and again."""
    plain = text.casefold()
    return Signs(
        only_asks(text),
        is_first_person(text),
        bool(_TIME.search(plain)),
        says_nothing(text),
    )


def asks_when(question: str) -> bool:
    """Tell whether a question asks for a time, or for how long."""
    return bool(_WHEN.search(question.casefold()))


def asks_now(question: str) -> bool:
    """Tell whether a question asks for what is true now, or how something ended."""
    return bool(_NOW.search(question.casefold()))


def asks_agent(question: str) -> bool:
    """Tell whether a question is about what the agent said."""
    return bool(_AGENT.search(question.casefold()))
