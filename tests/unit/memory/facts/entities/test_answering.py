"""Which claims answer a question that names somebody."""

from __future__ import annotations

import pytest

from memory.domain.entities import NAMED
from memory.domain.readings import ToldOf
from memory.facts.entities.answering import MOST, answers
from memory.facts.entities.concerned import holders_asked
from memory.facts.entities.linking import entities_of
from tests.unit.memory.facts.entities.building import claim, facts, of_those

KNOWN = facts(("spouse", "Priya Nair", 1), ("friend", "Will", 2), ("pet", "Bruno", 3))
TOLD = [
    claim("wife", "employer", "Acme", 4),
    claim("Priya", "employer", "Initech", 5),
    claim("Priya", "allergy", "nuts", 6),
    claim("Will", "home", "Leeds", 7),
    claim("sister", NAMED, "Eva", 8),
    claim("sister", "spouse", "Tom", 9),
    claim("Tom", "employer", "Hooli", 10),
    claim("dog", "age", "7", 11),
    claim("mother", "home", "Porto", 12),
    claim("boss", "home", "York", 13),
    claim("boss", "home", "York", 14, ended=True),
]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where does my wife work?", ["Priya Nair (wife) employer Initech"]),
        ("where does priya work", ["Priya Nair (wife) employer Initech"]),
        ("What is my wife's employer now?", ["Priya Nair (wife) employer Initech"]),
        ("Is my wife allergic to anything?", ["Priya Nair (wife) allergy nuts"]),
        ("¿Dónde trabaja mi esposa?", ["Priya Nair (wife) employer Initech"]),
        ("Wo arbeitet meine Frau?", ["Priya Nair (wife) employer Initech"]),
        ("Где работает моя жена?", ["Priya Nair (wife) employer Initech"]),
        ("What do you know about my wife?",
         ["Priya Nair (wife) allergy nuts", "Priya Nair (wife) employer Initech"]),
        ("I need a present for Priya",
         ["Priya Nair (wife) allergy nuts", "Priya Nair (wife) employer Initech"]),
        ("Where does Will live?", ["Will (friend) home Leeds"]),
        ("Will it rain tomorrow?", []),
        ("Where does my mum live?", ["mother home Porto"]),
        ("How old is my dog?", ["Bruno (dog) age 7"]),
        ("Who is my sister married to?", ["Eva (sister) spouse Tom"]),
        ("Where does my sister's husband work?", ["Tom (Eva's spouse) employer Hooli"]),
        ("Where does Tom's wife work?", []),
        ("Who works at Hooli?", ["Tom (Eva's spouse) employer Hooli"]),
        ("Where does my wife live?", []),
        ("Where does my husband work?", []),
        ("Where do I work?", []),
        ("Where does my boss live?", []),
        ("", []),
    ],
)  # fmt: skip
def test_a_question_finds_what_is_claimed_of_whom_it_names(
    question: str, expected: list[str]
) -> None:
    found = answers(question, entities_of("t", KNOWN, TOLD))
    assert [f"{a.entity.label} {a.claim.key} {a.claim.value}" for a in found] == expected
    assert of_those(question, KNOWN, TOLD) == found


@pytest.mark.parametrize(
    ("question", "holders"),
    [
        ("What is the weather like in Paris?", set()),
        ("", set()),
        ("Where does my wife work?", {"wife", "Priya"}),
        ("Who lives in Leeds?", {"Will"}),
        ("How old is Bruno?", {"dog"}),
        ("Where does my sister's husband work?", {"sister", "Tom", "wife", "Priya"}),
    ],
)
def test_claims_are_read_of_those_alone_who_may_be_meant(question: str, holders: set[str]) -> None:
    told = [ToldOf(each.holder, each.value) for each in TOLD]
    assert holders_asked(question, KNOWN, told) == holders


def test_the_wife_of_now_is_meant() -> None:
    known = facts(("spouse", "Priya", 1), ("spouse", "-Priya", 5), ("spouse", "Maria", 6))
    told = [claim("wife", "employer", "Acme", 2), claim("wife", "employer", "Hooli", 7)]
    found = answers("where does my wife work?", entities_of("t", known, told))
    assert [answer.claim.value for answer in found] == ["Hooli"]


def test_no_more_is_told_than_a_prompt_has_room_for() -> None:
    told = [claim("wife", "like", f"thing {n}", n) for n in range(50)]
    assert len(answers("tell me about my wife", entities_of("t", [], told))) == MOST


def test_a_wife_of_before_is_found_by_name_alone() -> None:
    known = facts(("spouse", "Priya", 1), ("spouse", "-Priya", 5))
    entities = entities_of("t", known, [claim("wife", "employer", "Acme", 2)])
    assert answers("where does my wife work?", entities) == []
    (found,) = answers("where does Priya work?", entities)
    assert (found.entity.label, found.claim.value) == ("Priya (former wife)", "Acme")
