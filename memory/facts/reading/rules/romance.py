"""First-person statements in Spanish, Portuguese and French."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from memory.facts.reading.rules.clauses import Clause
from memory.facts.reading.rules.found import IMPLIED, Found, rule
from memory.facts.reading.rules.lists import ListRule, listed
from memory.facts.reading.rules.phrases import noun

_SINCE: Final = (
    r"(?:(?:ya|ahora|hoy|ayer|por fin|recientemente|hace poco|agora|hoje|ontem|já|finalmente|recentemente"
    r"|há pouco)\s+)?"
)
# Reflexive, and with where to: "me mudé de ropa" and "mudei de ideia" name no place.
_MOVED: Final = (
    r"(?:(?:me|nos) (?:he|hemos) (?:mudado|trasladado)|(?:me acabo|nos acabamos) de (?:mudar|trasladar)"
    r"|acab(?:o|amos) de (?:mudar|trasladar)(?:me|nos)|me mudé|nos mudamos|me trasladé|nos trasladamos"
    r")\s+a\s+|"
    r"(?:me mudei|nos mudamos|mudei-me|mudámo-nos|mudamo-nos|a gente se mudou|acab(?:ei|ámos|amos) de"
    r" (?:me|nos)\s?mudar|acab(?:ei|ámos|amos) de mudar-(?:me|nos))\s+(?:para|pra|pro)\s+"
)
_SINGLE: Final = {
    "name": rule(
        r"(?:yo\s+)?me llamo\s+|mi nombre es\s+|(?:eu\s+)?me chamo\s+|meu nome é\s+|je m'appelle\s+|mon nom est\s+|mon prénom est\s+"
    ),
    "home": rule(
        r"(?:yo\s+)?(?:ahora\s+)?vivo en\s+|(?:eu\s+)?(?:agora\s+)?moro (?:em|no|na)\s+|"
        rf"(?:(?:yo|eu|nós|nosotros|nosotras)\s+)?{_SINCE}(?:{_MOVED})|"
        r"j'habite (?:maintenant )?(?:à|en|au)\s+|je vis (?:à|en|au)\s+|j'ai déménagé à\s+"
    ),
    "origin": rule(r"(?:yo\s+)?soy de\s+|(?:eu\s+)?sou d[eoa]\s+|je viens d(?:e\s+|')"),
    "employer": rule(
        r"(?:yo\s+)?(?:ahora\s+)?trabajo (?:en|para)\s+(?=[A-ZÀ-Þ])|(?:eu\s+)?(?:agora\s+)?trabalho n[oa]\s+|je travaille chez\s+"
    ),
    "occupation": rule(
        r"(?:yo\s+)?trabajo (?:como|de)\s+|(?:eu\s+)?trabalho como\s+|je travaille comme\s+"
    ),
}
_I_AM_NAME = re.compile(
    r"(?:[Ss]oy|[Ss]ou (?:o |a )?|[Ee]u sou (?:o |a )?)\s*(?P<name>[A-ZÀ-Þ][\w'-]+(?:\s+[A-ZÀ-Þ][\w'-]+)?)\s*$"
)
_AGE = rule(
    r"(?:yo\s+)?tengo\s+(?P<es>\d{2})\s+años|(?:eu\s+)?tenho\s+(?P<pt>\d{2})\s+anos|j'ai\s+(?P<fr>\d{2})\s+ans"
)
_BIRTHDAY: Final = rule(
    r"(?:mi cumpleaños (?:es|cae)(?: siempre)?|cumplo años|(?:yo\s+)?nací|(?:o\s+)?meu aniversário é"
    r"|(?:eu\s+)?faço anos|(?:eu\s+)?nasci|mon anniversaire est|je suis née?)\s+(?:(?:el|en|no|a|em|le)\s+)?"
    r"(?:(?:día|dia)\s+)?(?P<date>\d{1,2}(?:º|er)?(?:\s+de)?\s+[^\W\d_]{3,10}(?:\s+(?:de(?:l)?\s+)?\d{4})?)"
)
_DIET = r"(?P<diet>vegan[oa]|vegetarian[oa]|vegana?|végétarien(?:ne)?|végane?|celíac[oa])\b"
_AM = r"(?:yo\s+)?soy|(?:eu\s+)?sou|je suis"
_IS_DIET = rule(rf"(?:{_AM})\s+{_DIET}")
_NOT_DIET = rule(
    rf"(?:(?:yo\s+)?(?:ya\s+)?no soy(?: más)?|(?:eu\s+)?(?:já\s+)?não sou(?: mais)?|je ne suis (?:plus|pas))\s+{_DIET}"
)
_ALLERGY = rule(
    r"(?:yo\s+)?soy alérgic[oa] a(?:l)?\s+|(?:eu\s+)?sou alérgic[oa] (?:a|à|ao|aos|às)\s+|je suis allergique (?:à|au|aux)\s+|tengo alergia a(?:l)?\s+|tenho alergia (?:a|à|ao|aos|às)\s+"
    # Italian is read for what may harm alone.
    r"|(?:io\s+)?sono allergic[oa] (?:(?:allo|alla|agli|alle|ai|al|a)\s+|all'\s*)"
)
_LIKE = rule(
    r"(?:a mí\s+)?me (?:gustan?|encantan?)\s+(?:mucho\s+)?|(?:eu\s+)?(?:gosto (?:muito )?d[eoa]s?|adoro|amo)\s+|j'(?:aime|adore)\s+(?:beaucoup\s+)?(?!bien|pas)"
)
_DISLIKE = rule(
    r"(?:a mí\s+)?no me gustan?\s+(?:nada\s+)?|odio\s+|(?:eu\s+)?não gosto (?:muito )?d[eoa]s?\s+|odeio\s+|je n'aime pas\s+(?:trop\s+)?|je déteste\s+"
)
_NO_ALLERGY = rule(
    r"(?:yo\s+)?(?:ya\s+)?no (?:soy|tengo)(?: más)? (?:alérgic[oa]|alergia) a(?:l)?\s+|"
    r"(?:eu\s+)?(?:já\s+)?não (?:sou|tenho)(?: mais)? (?:alérgic[oa]|alergia) (?:a|à|ao|aos|às)\s+|"
    r"je ne suis (?:plus|pas) allergique (?:à|au|aux)\s+"
)
_NO_MORE = rule(
    r"(?:a mí\s+)?ya no me (?:gustan?|encantan?)\s+|(?:eu\s+)?já não gosto (?:mais )?d[eoa]s?\s+|"
    r"(?:eu\s+)?não gosto mais d[eoa]s?\s+|je n'aime plus\s+"
)
_LISTS = (
    ListRule("allergy", _NO_ALLERGY, retracts=True),
    ListRule("allergy", _ALLERGY),
    ListRule("like", _NO_MORE, retracts=True),
    ListRule("dislike", _DISLIKE),
    ListRule("like", _LIKE),
)
_LEFT = rule(
    r"(?:eu\s+)?saí d[oa]\s+|(?:yo\s+)?(?:dejé|me fui de)\s+(?=[A-ZÀ-Þ])|j'ai quitté\s+(?=[A-ZÀ-Þ])"
)


def read(clause: Clause) -> Iterator[Found]:
    """Yield what a Spanish, Portuguese or French clause states about the speaker."""
    text = clause.own
    for key, pattern in _SINGLE.items():
        if (match := pattern.match(text)) and (value := noun(text, match.end(), 3)):
            if not re.match(
                r"(?:un|una|um|uma|une|el|la|le|mi|meu|minha|mon|ma|casa|centro|otr[oa]|outr[oa]|cerca"
                r"|perto|aquí|acá|allí|allá|aqui|ali|cá|lá|vivir|viver|morar"
                r"|trabajar|trabalhar|estar|ficar|ser|ter|tener|poder|fazer|hacer)\b",
                text[match.end() :],
                re.IGNORECASE,
            ):
                yield Found(key, value)
    if clause.is_first and (match := _I_AM_NAME.match(text)):
        yield Found("name", match["name"], IMPLIED)
    if match := _AGE.match(text):
        yield Found("age", next(filter(None, match.groups())))
    if match := _BIRTHDAY.match(clause.text):
        yield Found("birthday", match["date"])
    if match := _NOT_DIET.match(text):
        yield Found("diet", match["diet"], retracts=True)
    elif (match := _IS_DIET.match(text)) and not match["diet"].casefold().startswith("cel"):
        yield Found("diet", match["diet"])
    if (match := _LEFT.match(text)) and (value := noun(text, match.end(), 3)):
        yield Found("employer", value, retracts=True)
    yield from listed(clause, _LISTS)
