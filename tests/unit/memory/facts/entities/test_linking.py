"""Who is who among the people and things that messages tell of."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory.domain.entities import NAMED
from memory.facts.entities.linking import entities_of
from tests.unit.memory.facts.entities.building import T0, claim, facts, held, linked


def test_a_noun_and_a_name_are_one_once_a_message_links_them() -> None:
    known = facts(("spouse", "Priya", 5))
    found = linked(known, claim("wife", "employer", "Acme", 1), claim("wife", NAMED, "Priya", 5))
    wife = found["Priya (wife)"]
    assert (wife.type, wife.aliases, wife.mentions) == ("person", ("wife",), ("u1", "u5"))
    assert held(wife) == {"employer": "Acme"}
    assert [tie.fact_id for tie in wife.ties] == [known[0].fact_id]
    acme = found["Acme"]
    assert (acme.type, wife.claims[0].object_id) == ("organisation", acme.entity_id)


def test_the_only_spouse_is_meant_without_a_link() -> None:
    found = linked(facts(("spouse", "Priya", 1)), claim("wife", "age", "41", 2))
    assert held(found["Priya (wife)"]) == {"age": "41"}


def test_a_name_alone_finds_who_has_it() -> None:
    found = linked(facts(("spouse", "Priya Nair", 1)), claim("priya", "employer", "Acme", 2))
    assert held(found["Priya Nair (spouse)"]) == {"employer": "Acme"}
    assert found["Priya Nair (spouse)"].aliases == ("priya",)


def test_a_noun_without_a_name_is_somebody() -> None:
    wife = linked([], claim("wife", "employer", "Acme", 1), claim("Wife", "age", "41", 2))["wife"]
    assert (wife.name, wife.aliases, wife.metadata) == ("wife", (), {"relation": "wife"})
    assert held(wife) == {"employer": "Acme", "age": "41"}
    assert wife.ties[0].relation == "spouse"


def test_two_people_of_one_name_stay_two_where_the_relation_differs() -> None:
    found = linked(
        [],
        claim("sister", NAMED, "Ana", 1),
        claim("Ana", "home", "Porto", 1),
        claim("boss", NAMED, "Ana", 2),
        claim("Ana", "home", "Leeds", 2),
        claim("sister", "age", "30", 3),
        claim("son", NAMED, "Alex", 4),
        claim("daughter", NAMED, "Alex", 5),
    )
    assert held(found["Ana (sister)"]) == {"home": "Porto", "age": "30"}
    assert held(found["Ana (boss)"]) == {"home": "Leeds"}
    assert {"Alex (son)", "Alex (daughter)"} < found.keys()


def test_where_it_is_open_who_is_meant_nobody_is_taken_for_somebody_else() -> None:
    found = linked(
        facts(("sibling", "Ana", 1), ("sibling", "Eva", 2), ("friend", "Ana", 3)),
        claim("sister", "age", "30", 4),
        claim("Ana", "home", "Porto", 5),
    )
    assert held(found["sister"]) == {"age": "30"}
    assert held(found["Ana"]) == {"home": "Porto"}
    assert not found["Ana (sibling)"].claims and not found["Ana (friend)"].claims


def test_whoever_had_the_name_then_is_meant_by_it() -> None:
    namesakes = claim("sister", NAMED, "Ana", 1), claim("boss", NAMED, "Ana", 5)
    told = [claim("Ana", "home", "Porto", 2), claim("Ana", "age", "30", 6)]
    found = linked([], *namesakes, *told)
    assert held(found["Ana (sister)"]) == {"home": "Porto"}
    assert held(found["Ana"]) == {"age": "30"}


def test_whoever_was_the_wife_then_is_meant() -> None:
    known = facts(("spouse", "Priya", 1), ("spouse", "-Priya", 10), ("spouse", "Maria", 20))
    found = linked(known, claim("wife", "employer", "Acme", 5), claim("wife", "age", "29", 25))
    assert held(found["Priya (former wife)"]) == {"employer": "Acme"}
    assert held(found["Maria (wife)"]) == {"age": "29"}


def test_a_girlfriend_becomes_a_wife_and_stays_one_person() -> None:
    known = facts(("partner", "Ana", 1), ("spouse", "Ana", 2))
    found = linked(known, claim("girlfriend", NAMED, "Ana", 1), claim("wife", NAMED, "Ana", 2))
    assert list(found) == ["Ana (wife)"]
    assert [tie.relation for tie in found["Ana (wife)"].ties] == ["partner", "spouse"]


def test_pets_have_a_kind_and_things_places_and_organisations_are_there() -> None:
    known = facts(
        ("pet", "Bruno", 1), ("pet", "cat", 2), ("home", "Leeds", 3), ("employer", "Acme", 4),
        ("possession", "a red bicycle", 5),
    )  # fmt: skip
    found = linked(known, claim("dog", NAMED, "Bruno", 1), claim("sister", "employer", "acme", 6))
    assert {label: entity.type for label, entity in found.items()} == {
        "Bruno (dog)": "pet",
        "cat": "pet",
        "Leeds": "place",
        "Acme": "organisation",
        "a red bicycle": "thing",
        "sister": "person",
    }
    assert found["sister"].claims[0].object_id == found["Acme"].entity_id


def test_relatives_of_others_are_people_of_their_own() -> None:
    found = linked(
        facts(("friend", "Tom", 1)),
        claim("sister", NAMED, "Eva", 2),
        claim("sister", "spouse", "Tom", 3),
    )
    assert {"Tom (friend)", "Eva (sister)", "Tom (Eva's spouse)"} == found.keys()


@pytest.mark.parametrize(("mother", "word"), [("mom", "mother"), ("mãe", "madre")])
def test_words_for_one_relation_mean_one_person(mother: str, word: str) -> None:
    found = linked([], claim(mother, "home", "Porto", 1), claim(word, "age", "70", 2))
    (entity,) = (each for each in found.values() if each.type == "person")
    assert held(entity) == {"home": "Porto", "age": "70"}


def test_a_later_claim_supersedes_and_the_old_one_stays() -> None:
    found = linked(
        [],
        claim("wife", "employer", "Acme", 1),
        claim("wife", "employer", "Initech", 2),
        claim("wife", "like", "tea", 3),
        claim("wife", "like", "jazz", 4),
        claim("wife", "like", "tea", 5, ended=True),
    )
    rows = [(c.key, c.value, c.status, c.closed_by) for c in found["wife"].claims]
    assert rows == [
        ("employer", "Acme", "closed", "u2"),
        ("employer", "Initech", "active", None),
        ("like", "tea", "closed", "u5"),
        ("like", "jazz", "active", None),
    ]
    assert found["wife"].claims[0].until == T0 + timedelta(minutes=2)


def test_an_id_stays_when_a_name_is_learned() -> None:
    before = linked([], claim("wife", "age", "41", 1))["wife"]
    known = facts(("spouse", "Priya", 2))
    after = linked(known, claim("wife", "age", "41", 1))["Priya (wife)"]
    assert after.entity_id == before.entity_id


def test_the_order_in_which_they_are_given_does_not_matter() -> None:
    known = facts(("spouse", "Priya", 1), ("employer", "Acme", 2))
    told = [claim("wife", "employer", "Acme", 3), claim("Priya", "age", "41", 4)]
    assert entities_of("t", known, told) == entities_of("t", known[::-1], told[::-1])


CORRECTED = (("spouse", "Priya", 1), ("spouse", "~Priya", 3), ("spouse", "Priyanka", 3))


def test_whose_name_is_corrected_stays_one_and_keeps_what_was_claimed() -> None:
    told = (claim("wife", NAMED, "Priya", 1), claim("Priya", "occupation", "lawyer", 1))
    before = linked(facts(CORRECTED[0]), *told)["Priya (wife)"]
    found = linked(facts(*CORRECTED), *told, claim("Priyanka", "home", "Pune", 4))
    wife = found["Priyanka (wife)"]
    assert held(wife) == {"occupation": "lawyer", "home": "Pune"}
    assert (wife.entity_id, wife.aliases) == (before.entity_id, ("wife", "Priya"))
    assert [tie.until for tie in wife.ties] == [None]
    assert len([each for each in found.values() if each.type == "person"]) == 1


def test_a_name_that_was_longer_and_wrong_is_not_the_name() -> None:
    known = facts(("pet", "Rexxo", 1), ("pet", "~Rexxo", 2), ("pet", "Rex", 2))
    known += facts(("sibling", "Anna", 5), ("sibling", "~Anna", 6), ("sibling", "Ana", 6))
    found = linked(known, claim("Rexxo", "age", "4", 1), claim("sister", NAMED, "Anna", 5))
    assert held(found["Rex"]) == {"age": "4"}
    assert set(found) == {"Rex", "Ana (sister)"}


def test_a_correction_that_is_corrected_leads_to_the_last_name() -> None:
    again = (("spouse", "~Priyanka", 5), ("spouse", "Priyamvada", 5))
    found = linked(facts(*CORRECTED, *again), claim("Priya", "occupation", "lawyer", 1))
    assert held(found["Priyamvada (spouse)"]) == {"occupation": "lawyer"}
    assert len(found) == 1


def test_whoever_has_the_denied_name_afterwards_is_somebody_else() -> None:
    found = linked(facts(*CORRECTED), claim("Priya", "occupation", "baker", 9))
    assert held(found["Priyanka (spouse)"]) == {}
    assert held(found["Priya"]) == {"occupation": "baker"}


def test_of_a_place_that_was_a_mistake_nothing_is_left() -> None:
    known = facts(("home", "Berlin", 1), ("home", "~Berlin", 2), ("home", "Bern", 2))
    assert set(linked(known)) == {"Bern"}
