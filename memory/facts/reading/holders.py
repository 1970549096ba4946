"""Whose a value is that is not the speaker's: the nearest person whom the message names. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
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

_PRONOUNS: Final = frozenset(
    """he she him they them hes shes er sie ihm ihn ihr ihnen él ella ellos ellas ele ela dele dela
    eles elas он она они его её ее ему ей него неё нее ним ней их им""".split()
)
_ANYBODY: Final = frozenset(
    """man woman guy girl boy lady bloke chap dude kid person people patient client customer guest
    guests student students passenger stranger actor singer founder doctor tenant lodger crush date
    herr junge mädchen gast gäste kunde kundin patientin hombre chico chica señor señora cliente
    huésped niño niña tipo homem mulher moço moça cara menino menina hóspede мужчина женщина парень
    девочка мальчик гость гостья клиент клиентка пациент мужик тётка""".split()
)
_SHORTENED: Final = re.compile(r"['’](?:s|ll|d|re|ve)$")
_SENTENCE_END: Final = re.compile(r"[.!?\n…]+(?=\s|$)")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class _Person:
    """Somebody whom a text names at a place; without a name one of whom nothing is kept."""

    at: int
    name: str
    is_pronoun: bool = False


def holder_of(text: str, value: Span, spans: Sequence[Span]) -> str:
    """Return who a value is said of, in the message's words; empty when nobody is named.

    The nearest before the value in its sentence counts first, then the nearest after it there,
    then whom the sentences before name. A pronoun stands for whom the words before it name; some
    man or woman is nobody to remember anything of.
    """
    people = _people(text, value, spans)
    ends = [found.end() for found in _SENTENCE_END.finditer(text, 0, value.start)]
    begin = ends[-1] if ends else 0
    stop = _SENTENCE_END.search(text, value.end)
    end = stop.end() if stop else len(text)
    before = [person for person in people if person.at < value.start]
    named = [each.name for each in people if value.start < each.at < end and not each.is_pronoun]
    after = named[0] if named else ""
    inside = [person for person in before if person.at >= begin]
    if not inside:
        return after or _last_named(before)
    nearest = inside[-1]
    if not nearest.is_pronoun:
        return nearest.name
    return _last_named([person for person in before if person.at < nearest.at]) or after


def _people(text: str, value: Span, spans: Sequence[Span]) -> list[_Person]:
    """Return whom a message names or means, in order, the value itself left out."""
    found = [
        _Person(span.start, text[span.start : span.end])
        for span in spans
        if span.key in PEOPLE_KEYS and span != value
    ]
    meant = []
    for word in _WORD.finditer(text):
        if value.start <= word.start() < value.end:
            continue
        folded = _SHORTENED.sub("", word.group().casefold())
        if relation_of(word.group()):
            found.append(_Person(word.start(), word.group()))
        elif folded in _PRONOUNS:
            meant.append(_Person(word.start(), "", is_pronoun=True))
        elif folded in _ANYBODY:
            meant.append(_Person(word.start(), ""))
    if not found:
        found = [_Person(at, name) for at, name in _names(text, spans)]
    return sorted([*found, *meant], key=lambda person: person.at)


def _last_named(people: Sequence[_Person]) -> str:
    named = [person.name for person in people if not person.is_pronoun]
    return named[-1] if named else ""


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
