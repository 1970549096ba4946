"""Which facts are meant by words of somebody's own."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.domain.facts import Fact
from memory.facts.meant import meant
from memory.facts.predicates import predicate
from memory.policy.forgetting import parse_forgetting

T0 = datetime(2026, 1, 1, tzinfo=UTC)
KNOWN = {
    "name: Alex": "My name is Alex",
    "home: Lisbon": "I live in Lisbon",
    "age: 34": "I'm 34 years old",
    "allergy: nuts": "I'm allergic to nuts and kiwi",
    "allergy: kiwi": "I'm allergic to nuts and kiwi",
    "diet: vegan": "I'm vegan",
    "like: green tea": "I love green tea",
    "dislike: nuts": "I hate nuts, too",
    "favorite:color: navy": "my favourite color is navy",
    "pet: Rex": "We have a dog, Rex, and a cat, Mia",
    "pet: Mia": "We have a dog, Rex, and a cat, Mia",
    "sibling: Anna": "my sister Anna is a nurse",
    "sibling: Tom": "Tom is my brother",
    "employer: Acme": "I work at Acme as a nurse",
    "occupation: nurse": "I work at Acme as a nurse",
    "possession: old car": "I drive an old car",
}


def fact(line: str) -> Fact:
    key, _, value = line.rpartition(": ")
    known = predicate(key)
    assert known is not None, key
    return Fact(
        fact_id=line,
        tenant="t",
        contact_id="web:me",
        category=known.category,
        key=key,
        value=value,
        confidence=0.95,
        importance=0.9,
        source_uid=KNOWN.get(line, line),
        anchor="contact:web:me",
        status="active",
        valid_from=T0,
        valid_to=None,
        recorded_from=T0,
        recorded_to=None,
    )


FACTS = [fact(line) for line in KNOWN]


def wished(text: str, facts: list[Fact] = FACTS) -> list[str]:
    wish = parse_forgetting(text)
    assert wish is not None, text
    return [each.fact_id for each in meant(facts, wish.words, {t: t for t in KNOWN.values()})]


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("forget my age", ["age: 34"]),
        ("forget how old I am", ["age: 34"]),
        ("forget that I am 34", ["age: 34"]),
        ("forget where I live", ["home: Lisbon"]),
        ("forget that I live in Lisbon with my mother", ["home: Lisbon"]),
        ("forget that my name is Alex", ["name: Alex"]),
        ("forget my allergies", ["allergy: nuts", "allergy: kiwi"]),
        ("forget that I'm allergic to nuts", ["allergy: nuts"]),
        ("forget that I'm vegan", ["diet: vegan"]),
        ("forget that I like green tea", ["like: green tea"]),
        ("forget my favourite color", ["favorite:color: navy"]),
        ("forget that I have a dog", ["pet: Rex"]),
        ("forget about my cat", ["pet: Mia"]),
        ("forget my pets", ["pet: Rex", "pet: Mia"]),
        ("forget that I have a sister", ["sibling: Anna"]),
        ("forget my brother Tom", ["sibling: Tom"]),
        ("forget my siblings", ["sibling: Anna", "sibling: Tom"]),
        ("forget that I work at Acme", ["employer: Acme"]),
        ("forget that I'm a nurse", ["occupation: nurse"]),
        ("forget my job", ["employer: Acme", "occupation: nurse"]),
        ("forget that I have an old car", ["possession: old car"]),
        ("vergiss, wo ich wohne", ["home: Lisbon"]),
        ("olvida mi edad", ["age: 34"]),
        ("esquece a minha idade", ["age: 34"]),
        ("забудь мой возраст", ["age: 34"]),
        ("forget that I live in Leeds", []),
        ("forget that I have a rabbit", []),
        ("forget that my sister is vegan", []),
        ("forget that I'm allergic to pollen", []),
        ("forget my birthday", []),
        ("forget that I'm called Alex", ["name: Alex"]),
        ("forget that I exist in Lisbon nightlife circles", []),
        ("forget that I have a husband called Alex", []),
    ],
)
def test_a_wish_means_these_facts_and_no_others(text: str, gone: list[str]) -> None:
    assert wished(text) == gone


def test_whoever_wishes_everything_means_all_facts() -> None:
    assert wished("forget everything you know about me") == list(KNOWN)


@pytest.mark.parametrize(
    ("text", "told", "line"),
    [
        ("забудь, что у меня есть собака", "У меня есть собака Рекс", "pet: Рекс"),
        ("Забудь, что я живу в Москве", "Я живу в Москве", "home: Москва"),
        ("vergiss, dass ich einen Hund habe", "Ich habe einen Hund", "pet: Hund"),
        ("Vergiss, dass ich keine Milch vertrage", "Ich vertrage keine Milch", "allergy: Milch"),
        ("olvida que tengo un perro", "tengo un perro que se llama Rex", "pet: Rex"),
        ("esquece que tenho um cachorro", "tenho um cachorro chamado Rex", "pet: Rex"),
    ],
)
def test_words_are_matched_in_their_language(text: str, told: str, line: str) -> None:
    wish = parse_forgetting(text)
    assert wish is not None
    known = fact(line)
    assert meant([known], wish.words, {known.source_uid: told}) == [known]
