"""Which noun and which name a message joins."""

from __future__ import annotations

import pytest

from memory.domain.facts import Observation
from memory.domain.readings import Reading
from memory.facts.entities.naming import claims_of, namings_of
from tests.messages import message
from tests.unit.memory.facts.entities.building import claim, facts


def _reading(key: str, name: str) -> Reading:
    if not key:
        return Reading(claims=(claim(name, "employer", "Acme"),))
    (fact,) = facts((key, name, 0))
    seen = Observation(
        fact.category, key, name, 0.9, 0.8, fact.source_uid, fact.valid_from, fact.anchor
    )
    return Reading(observations=(seen,))


@pytest.mark.parametrize(
    ("text", "key", "name", "noun"),
    [
        ("My wife Priya works at Acme", "spouse", "Priya", "wife"),
        ("my wife is called Priya", "spouse", "Priya", "wife"),
        ("my wife's name is Priya", "spouse", "Priya", "wife"),
        ("This is Priya, my lovely wife", "spouse", "Priya", "wife"),
        ("Bruno is our dog", "pet", "Bruno", "dog"),
        ("my old dog, Bruno, is ill", "pet", "Bruno", "dog"),
        ("My boss Ana lives in Leeds", "", "Ana", "boss"),
        ("I have a dog named Bruno", "pet", "Bruno", "dog"),
        ("We have a little son, Tom", "child", "Tom", "son"),
        ("I met a dog named Bruno", "", "Bruno", ""),
        ("Meine Frau heißt Priya", "spouse", "Priya", "frau"),
        ("Mi esposa se llama Priya", "spouse", "Priya", "esposa"),
        ("Мою кошку... моя кошка Мурка", "pet", "Мурка", "кошка"),
        ("My sister's husband Tom works at Acme", "", "Tom", ""),
        ("My wife and Ana work at Acme", "", "Ana", ""),
        ("My boss Ana lives in Leeds", "friend", "Ana", ""),
        ("Ana works at Acme", "", "Ana", ""),
        ("my wife Priyanka", "spouse", "Priya", ""),
    ],
)
def test_only_what_stands_beside_a_name_is_its_noun(
    text: str, key: str, name: str, noun: str
) -> None:
    found = namings_of(message(text), _reading(key, name))
    assert [(each.holder, each.value) for each in found] == ([(noun, name)] if noun else [])


def test_what_is_too_long_for_a_name_is_not_claimed() -> None:
    told = claim("x" * 81, "age", "7"), claim(" ", "age", "7"), claim("Eva", "like", "y" * 10_000)
    kept = claim("Eva", "age", "7")
    assert claims_of(message("..."), Reading(claims=(*told, kept))) == (kept,)


def test_a_long_message_is_read_in_time() -> None:
    text = "my wife is called " * 4000 + "Priya"
    assert namings_of(message(text), _reading("spouse", "Priya"))
    assert (
        claims_of(message("his wife " * 8000), Reading(claims=(claim("wife", "age", "7"),))) == ()
    )


@pytest.mark.parametrize(
    ("text", "holder", "kept"),
    [
        ("Tom's wife is vegan", "wife", False),
        ("Tom’s wife is vegan", "wife", False),
        ("his wife is vegan", "wife", False),
        ("my sister lives with her husband, he is vegan", "husband", False),
        ("my wife is vegan, Tom's wife is not", "wife", True),
        ("wife is vegan", "wife", True),
        ("The wife is vegan", "wife", True),
        ("Seine Frau ist vegan", "Frau", False),
        ("Tom is vegan", "Tom", True),
    ],
)
def test_another_ones_wife_is_not_the_writers(text: str, holder: str, kept: bool) -> None:
    told = claim(holder, "diet", "vegan")
    assert claims_of(message(text), Reading(claims=(told,))) == ((told,) if kept else ())


@pytest.mark.parametrize(
    ("text", "holder", "name"),
    [
        ("my boss Ana is 45", "boss", "Ana"),
        ("Our neighbour, Bo Smith, is 45", "neighbour", "Bo Smith"),
        ("my boss is called Ana and is 45", "boss", "Ana"),
        ("my boss is 45", "boss", ""),
        ("my boss Is 45", "boss", ""),
        ("my boss at Acme is 45", "boss", ""),
        ("Ana's boss Tom is 45", "boss", ""),
        ("Mein Chef Montag ist 45", "Chef", ""),
    ],
)
def test_a_noun_of_whom_something_is_claimed_may_have_its_name_beside(
    text: str, holder: str, name: str
) -> None:
    found = namings_of(message(text), Reading(claims=(claim(holder, "age", "45"),)))
    assert [each.value for each in found] == ([name] if name else [])
