"""What a message claims of others, by the reader's marks and the rules beside them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memory.domain.readings import Span, Status
from memory.facts.reading.deciding import decide
from memory.facts.reading.rules.others import MAX_CLAUSES, in_first_person
from tests.messages import message

Marked = tuple[str, str, Status, float]


def _claims(text: str, *marked: Marked) -> list[tuple[str, str, str, bool]]:
    spans = []
    for value, key, status, confidence in marked:
        at = text.index(value)
        spans.append(Span(at, at + len(value), key, status, confidence))
    found = decide(message(text), (), spans, 0.74).claims
    return [(each.holder, each.key, each.value, each.has_ended) for each in found]


@pytest.mark.parametrize(
    ("text", "marked", "expected"),
    [
        (
            "Tom quit the bakery. He's a teacher now",
            ("teacher", "occupation", "other", 0.41),
            ("Tom", "occupation", "teacher", False),
        ),
        (
            "My sister Carla moved to Rome last week",
            ("Rome", "home", "other", 0.48),
            ("sister", "home", "Rome", False),
        ),
        (
            "My brother lost his job at Siemens",
            ("Siemens", "employer", "other", 0.95),
            ("brother", "employer", "Siemens", True),
        ),
        (
            "Paul no longer works at Bosch",
            ("Bosch", "employer", "other", 0.95),
            ("Paul", "employer", "Bosch", True),
        ),
        (
            "Paul lost his job and Tom works at Siemens",
            ("Siemens", "employer", "other", 0.95),
            ("Tom", "employer", "Siemens", False),
        ),
        (
            "Hanna works at Bosch",
            ("Bosch", "employer", "other", 0.95),
            ("Hanna", "employer", "Bosch", False),
        ),
    ],
)
def test_a_rule_that_agrees_makes_a_claim_of_a_doubtful_mark_or_an_end(
    text: str, marked: Marked, expected: tuple[str, str, str, bool]
) -> None:
    assert _claims(text, marked) == [expected]


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("Tom likes his teacher", ("teacher", "occupation", "other", 0.41)),
        ("He's a teacher now", ("teacher", "occupation", "other", 0.2)),
        ("Is Tom a teacher?", ("teacher", "occupation", "other", 0.41)),
    ],
)
def test_a_doubtful_mark_by_itself_claims_nothing(text: str, marked: Marked) -> None:
    assert _claims(text, marked) == []


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("My kids are Maya (9) and Leo (6)", ["Maya", "Leo"], ["9", "6"]),
        ("my son Leo, 6, loves dinosaurs", ["Leo"], ["6"]),
        ("Meine Tochter Mia ist 5", ["Mia"], ["5"]),
        ("Mi hija Lucía tiene 4 años", ["Lucía"], ["4"]),
        ("she is born! Aurora, 3.4 kilos", ["Aurora"], []),
        ("my kids Apolo and Caetana, 5 and 3", ["Caetana"], []),
        ("our horse Luna is 150 cm", ["Luna"], []),
        ("my son Leo is at room 12", ["Leo"], []),
    ],
)
def test_an_age_right_behind_a_name_is_theirs(
    text: str, names: Sequence[str], expected: Sequence[str]
) -> None:
    found = _claims(text, *((name, "child", "stated", 0.97) for name in names))
    assert found == [
        (name, "age", age, False) for name, age in zip(names, expected, strict=bool(expected))
    ]


def test_of_a_message_that_names_many_only_so_many_clauses_are_read() -> None:
    assert len(list(in_first_person("Tom is a cook, " * 500))) == MAX_CLAUSES


@pytest.mark.parametrize(
    ("text", "holder", "age"),
    [
        ("Actually Leo is 7 now", "Leo", "7"),
        ("Mia turned 4 yesterday!", "Mia", "4"),
        ("my dog Rex is 12 years old", "Rex", "12"),
        ("Leo ist jetzt 7 Jahre alt", "Leo", "7"),
        ("La Sofía cumplió 9", "Sofía", "9"),
        ("O Bruno fez 9 anos", "Bruno", "9"),
    ],
)
def test_the_age_that_a_name_has_is_claimed(text: str, holder: str, age: str) -> None:
    assert _claims(text) == [(holder, "age", age, False)]


@pytest.mark.parametrize(
    "text",
    [
        "It is 7 now",
        "He is 7 now",
        "O Bruno fez 91% hoje",
        "Bern is 7.5 years behind",
        "Leo is 7 of 9",
    ],
)
def test_what_is_no_age_of_a_name_is_none(text: str) -> None:
    assert _claims(text) == []
