"""Whose a value is that is not the speaker's: the nearest person whom the message names. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from memory.domain.readings import Span
from memory.text.words import STOP_WORDS

PEOPLE_KEYS: Final = frozenset({"spouse", "partner", "child", "parent", "sibling", "friend"})

RELATIONS: Final[dict[str, str]] = {
    noun: relation
    for relation, nouns in {
        "spouse": "wife husband hubby spouse ehefrau ehemann mann frau esposa esposo marido mujer"
        " жена муж",
        "partner": "girlfriend boyfriend partner fiance fiancee fiancé fiancée bf gf freund"
        " freundin novia novio pareja namorada namorado девушка парень",
        "child": "son daughter kid child baby toddler stepson stepdaughter sohn tochter kind hijo"
        " hija filho filha сын дочь дочка",
        "parent": "mother father mom mum mam dad daddy papa mama stepdad stepmom mutter vater madre"
        " padre mamá papá mãe pai мама папа мать отец",
        "sibling": "sister brother sis bro twin schwester bruder hermana hermano irmã irmão сестра"
        " брат",
        "friend": "friend mate bestie buddy kumpel amigo amiga подруга друг",
        "relative": "grandma grandpa grandmother grandfather nan granny aunt uncle cousin niece"
        " nephew oma opa tante onkel abuela abuelo tía tío prima primo avó avô бабушка дедушка тётя"
        " дядя",
        "acquaintance": "neighbor neighbour boss colleague coworker roommate flatmate housemate"
        " teacher landlord nachbar nachbarin chef kollege kollegin vecina vecino jefe vizinha chefe"
        " сосед соседка начальник коллега",
        "pet": "dog cat puppy kitten hund katze perro gato gata cachorro собака кошка кот",
    }.items()
    for noun in nouns.split()
}
"""Nouns that name a person by relation, and which relation."""

_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def holder_of(text: str, value: Span, spans: Sequence[Span]) -> str:
    """Return who a value is said of, in the message's words; empty when nobody is named.

    The nearest before the value in its sentence counts first, then the nearest after it.
    """
    people = [
        (span.start, text[span.start : span.end])
        for span in spans
        if span.key in PEOPLE_KEYS and span != value
    ]
    people += [
        (word.start(), word.group())
        for word in _WORD.finditer(text)
        if relation_of(word.group()) and not value.start <= word.start() < value.end
    ]
    people = people or _names(text, spans)
    before = [person for person in people if person[0] < value.start]
    after = [person for person in people if person[0] > value.start]
    if before:
        return max(before, key=lambda person: person[0])[1]
    return min(after, key=lambda person: person[0])[1] if after else ""


def _names(text: str, spans: Sequence[Span]) -> list[tuple[int, str]]:
    """Return capitalised words that may be names, and where they stand."""
    return [
        (word.start(), word.group())
        for word in _WORD.finditer(text)
        if word.group().istitle()
        and word.group().casefold() not in STOP_WORDS
        and not any(span.start <= word.start() < span.end for span in spans)
    ]


def relation_of(word: str) -> str:
    """Return the relation that a noun names, also in its plural; empty when it names none."""
    folded = re.sub(r"['’]s$", "", word.casefold())
    return RELATIONS.get(folded) or RELATIONS.get(folded.removesuffix("s"), "")
