"""Whose a value is that is not the speaker's."""

from __future__ import annotations

import pytest

from memory.domain.readings import Span
from memory.facts.reading.holders import holder_of, relation_of


@pytest.mark.parametrize(
    ("text", "value", "holder"),
    [
        ("my wife is allergic to nuts", "nuts", "wife"),
        ("Lea moved to Basel, and I stay", "Basel", "Lea"),
        ("ask Tom. Dad lives in York now", "York", "Dad"),
        ("he is from Bonn, my neighbour", "Bonn", "neighbour"),
        ("meine Schwester wohnt in Bonn", "Bonn", "Schwester"),
        ("My brother called. He is in Bonn", "Bonn", "brother"),
        ("a man at the club, from Bonn", "Bonn", ""),
        ("My sister met a man from Bonn", "Bonn", ""),
        ("She is from Bonn", "Bonn", ""),
        ("allergic to nuts", "nuts", ""),
    ],
)
def test_the_nearest_person_holds_it(text: str, value: str, holder: str) -> None:
    start = text.index(value)
    span = Span(start, start + len(value), "home", "other", 0.9)
    assert holder_of(text, span, [span]) == holder


def test_a_person_that_is_marked_holds_it_by_name() -> None:
    text = "my wife priya works at Acme"
    name, value = Span(8, 13, "spouse", "stated", 0.9), Span(23, 27, "employer", "other", 0.9)
    assert holder_of(text, value, [name, value]) == "priya"


@pytest.mark.parametrize(
    ("word", "relation"),
    [("Wife", "spouse"), ("sisters", "sibling"), ("dad's", "parent"), ("boss", "acquaintance")],
)
def test_a_noun_names_its_relation(word: str, relation: str) -> None:
    assert relation_of(word) == relation
    assert relation_of("table") == ""
