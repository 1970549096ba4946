"""Nouns for people and pets, whichever language or form they are said in. Pure."""

from __future__ import annotations

import re
from typing import Final

from memory.facts.reading.holders import RELATIONS, relation_of

_CANONICAL: Final[dict[str, str]] = {
    noun: canonical
    for canonical, nouns in {
        "wife": "wife ehefrau frau esposa mujer жена",
        "husband": "husband hubby ehemann mann esposo marido муж",
        "girlfriend": "girlfriend gf freundin novia namorada девушка",
        "boyfriend": "boyfriend bf freund novio namorado парень",
        "fiancée": "fiancee fiancée",
        "fiancé": "fiance fiancé",
        "partner": "partner pareja",
        "son": "son stepson sohn hijo filho сын",
        "daughter": "daughter stepdaughter tochter hija filha дочь дочка",
        "child": "child kid kind baby toddler",
        "mother": "mother mom mum mam mama mutter madre mamá mãe stepmom мама мать",
        "father": "father dad daddy papa vater padre papá pai stepdad папа отец",
        "sister": "sister sis schwester hermana irmã сестра",
        "brother": "brother bro bruder hermano irmão брат",
        "twin": "twin",
        "friend": "friend mate bestie buddy kumpel amigo amiga подруга друг",
        "grandmother": "grandmother grandma nan granny oma abuela avó бабушка",
        "grandfather": "grandfather grandpa opa abuelo avô дедушка",
        "aunt": "aunt tante tía тётя",
        "uncle": "uncle onkel tío дядя",
        "cousin": "cousin prima primo",
        "niece": "niece",
        "nephew": "nephew",
        "neighbour": "neighbour neighbor nachbar nachbarin vecina vecino vizinha сосед соседка",
        "boss": "boss chef jefe chefe начальник",
        "colleague": "colleague coworker kollege kollegin коллега",
        "flatmate": "flatmate roommate housemate",
        "dog": "dog hund perro cachorro puppy собака",
        "cat": "cat kitten katze gato gata кошка кот",
    }.items()
    for noun in nouns.split()
}

_FEMALE: Final = frozenset(
    "wife girlfriend fiancée daughter mother sister grandmother aunt niece".split()
)
_MALE: Final = frozenset(
    "husband boyfriend fiancé son father brother grandfather uncle nephew".split()
)
_ONE_PERSON: Final = {"partner": "spouse"}
_APART: Final = frozenset({"relative", "acquaintance"})

WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def plain_noun(word: str) -> str:
    """Return a noun for a person or pet without its ending: "wife's" is "wife"; else empty."""
    if not relation_of(word):
        return ""
    folded = without_s(word)
    return folded if folded in RELATIONS else folded.removesuffix("s")


def without_s(word: str) -> str:
    """Return a word folded, without the ending of whose something is."""
    return re.sub(r"['’]s$", "", word.casefold())


def canonical_of(noun: str) -> str:
    """Return one noun for all that mean the same: "mum" and "mãe" are "mother"."""
    return _CANONICAL.get(noun, noun)


def kinship_of(relation: str, noun: str) -> str:
    """Return what tells persons of one name apart: a girlfriend may become a wife, no aunt does."""
    if relation in _APART and noun:
        return f"{relation}:{canonical_of(noun)}"
    return _ONE_PERSON.get(relation, relation)


def may_be_one(noun: str, other: str) -> bool:
    """Tell whether two nouns of one kinship can name the same: not a son and a daughter."""
    ours, theirs = canonical_of(noun), canonical_of(other)
    if RELATIONS.get(noun) == "pet" == RELATIONS.get(other):
        return ours == theirs
    return not ({ours, theirs} & _FEMALE and {ours, theirs} & _MALE)
