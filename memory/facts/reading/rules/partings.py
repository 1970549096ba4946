"""Who is together no longer, in English, German, Spanish, Portuguese and Russian."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from memory.facts.reading.rules.clauses import Clause
from memory.facts.reading.rules.found import Found, rule

_NAME: Final = r"[^\W\d_][\w'-]*"
_EN: Final = (
    r"(?:so )?(?:(?:i|we)(?:'?ve| have)?|(?:me and|soo?n?) \w+(?: and i)?|(?:her|him) and (?:i|me)|(?-i:[A-ZÀ-Þ]\w+) and i"
    r"|my (?:girlfriend|boyfriend|partner|husband|wife|gf|bf)(?: \w+)? and i)"
    r"(?: (?:just|recently|finally|both))? (?:broke(?:n)? up|split up|got divorced|separated(?! (?:the|our|my|them|it|all)\b))\b"
    r"|we(?:'?re| are) (?:no longer together|not together any ?more)\b"
    r"|my (?:girlfriend|boyfriend|partner|husband|wife|gf|bf) (?:just )?(?:dumped me\b|left me(?=\W*$|[,;]| (?:last|yesterday|today|in|after|for|two|this)\b))"
)
_DE: Final = (
    # "Lea und ich haben uns": a clause begins at "ich".
    rf"(?:wir|ich|ich und {_NAME}) (?:haben uns|sind) (?:(?!von\b)\w+ ){{0,4}}?"
    r"(?:getrennt(?! worden)|geschieden|nicht mehr zusammen|scheiden lassen)\b"
    r"|ich (?:habe|hab) mich (?:\w+ ){0,2}?von (?:\w+ ){1,2}?(?:getrennt|scheiden lassen)\b"
    r"|(?:ich (?:habe|hab) mit (?:\w+ ){1,2}schluss|mein[e]? (?:freund|freundin|mann|frau) hat (?:\w+ )?mit mir schluss)"
    r" gemacht\b|mein[e]? (?:freund|freundin|mann|frau) hat mich verlassen\b"
)
_ES: Final = (
    rf"(?:(?:{_NAME} y yo|nosotr[oa]s) )?(?:(?:ya )?nos (?:separamos|divorciamos|hemos (?:separado|divorciado))\b(?! l[oa]s\b)"
    r"|ya no estamos juntos\b|(?:lo dejamos|hemos roto|rompimos)(?=\W*$|,| (?:hace|ayer|anoche|en|(?:la|el) (?:semana|mes|año))\b))"
    rf"|(?:corté|rompí|terminé) con (?:mi (?:novi[oa]|marido|espos[oa]|pareja|mujer)|(?-i:[A-ZÁÉÍÓÚÑ]\w+))\b"
    r"|mi (?:novi[oa]|marido|espos[oa]|pareja|mujer) me (?:dejó|ha dejado)(?=\W*$|,| (?:hace|ayer|por|(?:la|el) (?:semana|mes|año))\b)"
)
_PT: Final = (
    rf"(?:(?:{_NAME} e eu|eu e (?:[oa] )?{_NAME}|nós) )?(?:nos (?:separamos|divorciamos)(?! l?[ao]s\b)|separámo-nos|divorciámo-nos"
    r"|terminamos (?:o namoro|o casamento|o noivado)|(?:já )?não estamos (?:mais )?juntos)\b"
    r"|(?:eu )?terminei com (?:[oa] )?(?:meu namorado|minha namorada|meu noivo|minha noiva|(?-i:[A-ZÀ-Þ]\w+))\b"
    r"|(?:(?:[oa] )?(?:meu|minha) (?:namorad[oa]|marido|mulher|espos[oa]|noiv[oa]) )(?:me (?:deixou|largou)|terminou comigo)\b"
)
_RU: Final = (
    r"мы (?:с \w+ )?(?:\w+ ){0,2}?(?:расстались|развелись|разошлись(?! по)|больше не вместе)\b"
    r"|я (?:\w+ )?(?:рассталась|расстался|развелась|развелся|разв[её]лся)\b"
    r"|меня (?:бросила?|бросил) (?:муж|жена|парень|девушка)\b|(?:муж|жена|парень|девушка) меня бросила?\b"
)
_PARTED: Final = rule("|".join(f"(?:{each})" for each in (_EN, _DE, _ES, _PT, _RU)))


def read(clause: Clause) -> Iterator[Found]:
    """Yield the end of whom the speaker is, or was, together with."""
    if _PARTED.match(clause.own):
        yield Found("partner", retracts=True)
        yield Found("spouse", retracts=True)
