"""Which facts somebody means who names them in words of their own. Pure.

Words name the kind of a fact ("my age", "where I live"), its value ("Lisbon"), or what was said
beside the value ("a dog", of Rex). Where a kind is named, no other is meant; where a value is named
that is not known, nothing is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from memory.domain.facts import APART, Fact
from memory.facts.predicates import FAVORITE_PREFIX, PREFERENCE_PREFIX
from memory.text.words import STOP_WORDS, stem

_WORDS: Final = re.compile(r"\w+")
_SMALL: Final = STOP_WORDS - {"like", "name"}
_BEFORE, _AFTER = 4, 3
"""Words beside a value in its message that tell what it is: "my dog is called" Rex."""

_LIKES: Final = (
    "like liked likes love enjoy favourite favorite fan mag liebe lieblings gusta encanta gosto"
    " adoro favorito favorita preferido preferida люблю нравится любимый любимая"
)
_WORK: Final = (
    "work works working job employer employed company boss arbeite arbeit arbeitgeber firma job"
    " beruf trabajo empleo empresa trabalho emprego работаю работа компания"
)
_FOOD: Final = "eat eats esse essen como comer eat ем есть"
_BORNE: Final = (
    "tolerate intolerant intolerance vertrage vertragen tolero tolerar intolerante переношу"
)

# What names a kind of fact as a whole, in the languages that wishes are read in.
_NAMED: Final[Mapping[str, str]] = {
    "name": "name names heiße heisse llamo nombre chamo nome имя зовут",
    "preferred_name": "nickname name spitzname apodo apelido прозвище зови",
    "home": "live lives lived living home address city town moved wohne wohnt wohnung wohnort"
    " adresse zuhause lebe lebte gewohnt gelebt vivo vivimos vivía vivia viví vivi vivido casa"
    " dirección direccion moro mora moramos morava morei morado moradia endereço живу жил жила"
    " адрес дом город",
    "spouse": "wife husband spouse married ehefrau ehemann frau mann esposa esposo marido mulher"
    " жена муж жене",
    "partner": "partner girlfriend boyfriend fiance fiancé fiancée freund freundin novia novio"
    " pareja namorada namorado девушка парень",
    "pronouns": "pronouns pronomen pronombres pronomes местоимения",
    "child": "child children kid kids kind kinder hijos niños filhos crianças ребенок ребёнок дети",
    "pet": "pet pets haustier haustiere mascota mascotas питомец питомцы",
    "occupation": f"occupation profession career profesión profissão профессия {_WORK}",
    "employer": _WORK,
    "birthday": "birthday birthdate born geburtstag geboren cumpleaños cumpleanos nací aniversário"
    " nasci nascimento рождения родился родилась",
    "origin": "from origin grew hometown herkunft komme stamme aufgewachsen origen vengo origem"
    " venho родом",
    "age": "age old years alter alt jahre edad años anos idade возраст лет",
    "parent": "parent parents eltern padres pais родители",
    "sibling": "sibling siblings geschwister hermanos irmãos",
    "school": "school university uni college study studied schule universität studiere escuela"
    " universidad estudio escola universidade faculdade estudo школа университет учусь",
    "nationality": "nationality citizen citizenship passport nationalität staatsangehörigkeit"
    " nacionalidad nacionalidade гражданство национальность",
    "language": "language languages speak sprache sprachen spreche idioma idiomas hablo língua"
    " línguas falo язык языки говорю",
    "marital_status": "married single divorced widowed marital verheiratet geschieden ledig casado"
    " casada soltero soltera divorciado divorciada solteiro solteira женат замужем разведен",
    "timezone": "timezone zeitzone",
    "email": "email mail e correo почта",
    "phone": "phone telephone mobile number telefon telefonnummer nummer handynummer teléfono"
    " telefono telefone número numero телефон номер",
    "friend": "friend friends freunde amigos друзья",
    "possession": "own owned possession",
    "reply_language": "answer answers reply",
    "reply_style": "answer answers reply style",
    "like": _LIKES,
    "dislike": "dislike hate hasse odio odeio ненавижу",
    "allergy": "allergy allergies allergic allergie allergien allergisch alergia alergias alérgico"
    f" alérgica alergico alergica аллергия аллергии {_BORNE}",
    "medical": "illness disease condition diagnosis diagnosed health medical medication krankheit"
    " diagnose enfermedad diagnóstico doença болезнь диагноз",
    "diet": f"diet ernährung dieta диета {_FOOD}",
    "avoid": f"avoid vermeide evito избегаю {_FOOD} {_BORNE}",
    "budget": "budget presupuesto orçamento бюджет",
    "availability": "available availability verfügbar disponible disponível",
    "standing": "instruction instructions anweisung instrucción instrução",
}
# What tells one value of a kind from another: it is looked for beside the value, too.
_KINDS: Final[Mapping[str, str]] = {
    "pet": "dog dogs puppy cat cats kitten rabbit hamster parrot horse fish hund hunde hündin katze"
    " katzen kater kaninchen pferd perro perra gato gata conejo caballo cachorro cachorra cão"
    " cadela coelho cavalo собака собаку пес пёс кот кошка кошку кролик",
    "child": "son daughter baby sohn tochter hijo hija filho filha сын дочь",
    "parent": "mother father mum mom mam dad mutter vater mama papa madre padre mamá papá mãe pai"
    " мама папа мать отец",
    "sibling": "brother sister bruder schwester hermano hermana irmão irmã брат сестра",
    "friend": "friend freund freundin amigo amiga друг подруга",
}
_PEOPLE: Final = frozenset({"spouse", "partner", "child", "parent", "sibling", "friend"})


def meant(facts: Sequence[Fact], words: Sequence[str], texts: Mapping[str, str]) -> list[Fact]:
    """Return the facts that words mean, in their order; none of the words: all of them.

    `texts`: what the facts' messages say, by uid.
    """
    if not words:
        return list(facts)
    named = {key for key, naming in _NAMED_STEMS.items() if any(_stem(w) in naming for w in words)}
    named |= {key for key, kinds in _KIND_STEMS.items() if any(_stem(w) in kinds for w in words)}
    valued = [word for word in words if not _names_whole_kind(word)]
    of_kind = [fact for fact in facts if _kind_of(fact) in named]
    if named and not valued:
        return of_kind
    found = [fact for fact in of_kind if _names(fact, valued)]
    if not found:
        found = _beside(of_kind, valued, texts)
    if not found and not named & _PEOPLE:
        found = [fact for fact in facts if _covers(fact, valued)]
    return found


def names_kind(key: str, text: str) -> bool:
    """Tell whether a text names a kind of fact: “my dog” a pet. Of a favorite, what it is one of.

    Words of up to two letters are left out: "e" is mail in English, and "and" elsewhere.
    """
    noun = key.partition(":")[2]
    naming = _stems(noun.split()) or _NAMED_STEMS.get(key, set()) | _KIND_STEMS.get(key, set())
    return any(len(word) > 2 and _stem(word) in naming for word in _WORDS.findall(text.casefold()))


def _kind_of(fact: Fact) -> str:
    if fact.key.startswith((FAVORITE_PREFIX, PREFERENCE_PREFIX)):
        return "like"
    return fact.key


def _names(fact: Fact, words: Collection[str]) -> bool:
    return bool(_stems(words) & _value_stems(fact))


def _covers(fact: Fact, words: Collection[str]) -> bool:
    """Tell whether words name a value and hardly anything else."""
    wanted = _stems(words)
    return bool(wanted) and 2 * len(wanted & _value_stems(fact)) > len(wanted)


def _beside(facts: Sequence[Fact], words: Collection[str], texts: Mapping[str, str]) -> list[Fact]:
    """Return the facts beside whose values the words stand: before them or, if nowhere, after."""
    before, after = set(), set()
    for fact in facts:
        said = _WORDS.findall(texts.get(fact.source_uid.partition(APART)[0], "").casefold())
        value = _WORDS.findall(fact.value.casefold())
        starts = [at for at in range(len(said)) if value and said[at : at + len(value)] == value]
        if any(_stems(words) <= _stems(said[max(0, at - _BEFORE) : at]) for at in starts):
            before.add(fact.fact_id)
        elif any(_stems(words) <= _stems(said[at + len(value) :][:_AFTER]) for at in starts):
            after.add(fact.fact_id)
    telling = {fact.source_uid for fact in facts if fact.fact_id in before}
    return [
        fact
        for fact in facts
        if fact.fact_id in before or (fact.fact_id in after and fact.source_uid not in telling)
    ]


def _value_stems(fact: Fact) -> set[str]:
    noun = fact.key.partition(":")[2]
    return _stems(w for w in _WORDS.findall(f"{noun} {fact.value}".casefold()) if w not in _SMALL)


def _stems(words: Iterable[str]) -> set[str]:
    return {_stem(word) for word in words}


def _stem(word: str) -> str:
    return stem(word.replace("ё", "е"))


def _names_whole_kind(word: str) -> bool:
    return _stem(word) in _WHOLE_STEMS


_NAMED_STEMS: Final = {key: _stems(words.split()) for key, words in _NAMED.items()}
_KIND_STEMS: Final = {key: _stems(words.split()) for key, words in _KINDS.items()}
_WHOLE_STEMS: Final = frozenset(each for stems in _NAMED_STEMS.values() for each in stems)
