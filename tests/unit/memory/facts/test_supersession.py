"""Supersession: the rules of L3, and what holds for every history."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.domain.facts import Fact, Observation
from memory.facts.predicates import PREDICATES, fact_sentence, predicate
from memory.facts.supersession import merge, plan

T0 = datetime(2026, 1, 1, tzinfo=UTC)
NOW = datetime(2027, 1, 1, tzinfo=UTC)


def said(
    key: str,
    value: str,
    at: int = 0,
    confidence: float = 0.95,
    source: str = "",
    *,
    retracts: bool = False,
    importance: float = 0.7,
) -> Observation:
    known = predicate(key)
    category = known.category if known else "identity"
    stated_at = T0 + timedelta(hours=at)
    source = source or f"{key}-{value}-{at}"
    return Observation(
        category, key, value, confidence, importance, source, stated_at, "contact:a", retracts
    )


class Book:
    """A plain dict of facts that carries plans out."""

    def __init__(self) -> None:
        self.rows: dict[str, Fact] = {}
        self.ids = count()

    def tell(self, *seen: Observation) -> list[str]:
        outcome = plan("t", "a", list(self.rows.values()), [seen], NOW, lambda: str(next(self.ids)))
        for fact in (*outcome.inserted, *outcome.changed):
            self.rows[fact.fact_id] = fact
        return [fact.value for fact in outcome.activated]

    def values(self, status: str = "active") -> list[str]:
        return sorted(fact.value for fact in self.rows.values() if fact.status == status)


def told(*messages: Sequence[Observation] | Observation) -> Book:
    book = Book()
    for message in messages:
        book.tell(*([message] if isinstance(message, Observation) else message))
    return book


def test_explicit_beats_even_certain() -> None:
    book = told(said("name", "Alex", 0, 1.0), said("name", "Alexander", 1, 0.9))
    assert (book.values(), book.values("closed")) == (["Alexander"], ["Alex"])


@pytest.mark.parametrize(("confidence", "winner"), [(0.59, "Leeds"), (0.6, "York"), (0.8, "York")])
def test_weak_wins_only_over_what_is_no_stronger(confidence: float, winner: str) -> None:
    assert told(said("home", "Leeds", 0, 0.6), said("home", "York", 1, confidence)).values() == [
        winner
    ]


def test_saying_it_again_only_raises_confidence() -> None:
    book = told(said("pet", "Rex", 0, 0.6), said("pet", "rex", 1, 0.8), said("pet", "REX", 2, 0.5))
    assert [(fact.value, fact.confidence) for fact in book.rows.values()] == [("Rex", 0.8)]


@pytest.mark.parametrize(
    ("first", "then", "left"),
    [
        ("vegan", "pescatarian", ["pescatarian"]),
        ("vegetarian", "eats everything", ["eats everything"]),
        ("vegan", "gluten-free", ["gluten-free", "vegan"]),
        ("halal", "vegetarian", ["halal", "vegetarian"]),
    ],
)
def test_named_diets_replace_each_other(first: str, then: str, left: list[str]) -> None:
    assert told(said("diet", first), said("diet", then, 1)).values() == left


@pytest.mark.parametrize(
    ("key", "held", "retracted", "gone"),
    [
        ("diet", "vegetarian", "veggie", True),
        ("possession", "fiat panda", "panda", True),
        ("allergy", "peanuts", "peanut", True),
        ("like", "green tea", "tea", False),
        ("home", "Leeds", "York", False),
        ("employer", "Acme", "*", True),
    ],
)
def test_a_retraction_closes_what_it_names(key: str, held: str, retracted: str, gone: bool) -> None:
    book = told(said(key, held), said(key, retracted, 1, retracts=True))
    assert book.values("closed" if gone else "active") == [held]


def test_a_retraction_spares_its_own_message_and_later_news() -> None:
    leaves = (
        said("employer", "Wise", 1, source="m"),
        said("employer", "*", 1, source="m", retracts=True),
    )
    assert told(said("employer", "Monzo"), leaves).values() == ["Wise"]
    assert told(said("employer", "Wise", 5), said("employer", "*", 1, retracts=True)).values() == [
        "Wise"
    ]


def test_a_late_import_is_history() -> None:
    book = told(said("home", "Bristol", 9), said("home", "Leeds", 2))
    [late] = [fact for fact in book.rows.values() if fact.status == "closed"]
    assert (late.value, late.valid_to) == ("Leeds", T0 + timedelta(hours=9))
    assert late.recorded_from == late.recorded_to == NOW


def test_what_is_too_weak_or_unknown_is_dropped() -> None:
    dropped = [
        said("home", "A", confidence=0.39),
        said("home", "B", importance=0.19),
        said("shoe_size", "44"),
        said("home", " "),
        said("favorite:", "x"),
    ]
    assert merge(dropped) == []
    assert told(dropped).rows == {}
    assert told(said("home", "C", confidence=0.4, importance=0.2)).values() == ["C"]


def test_duplicates_of_a_message_are_merged() -> None:
    [one] = merge([said("pet", "Rex", 0, 0.5), said("pet", " rex ", 0, 0.9)])
    assert (one.value, one.confidence) == ("Rex", 0.9)


def test_a_favourite_holds_one_value_for_each_noun() -> None:
    book = told(
        said("favorite:color", "green"),
        said("favorite:color", "navy", 1),
        said("favorite:food", "pie"),
    )
    assert book.values() == ["navy", "pie"]
    [color] = [fact for fact in book.rows.values() if fact.value == "navy"]
    assert fact_sentence(color) == "favorite color: navy"


_KEYS = ("home", "name", "pet", "like", "diet", "favorite:color")
_OBSERVATIONS = st.builds(
    lambda key, value, confidence, retracts: (key, value, confidence, retracts),
    st.sampled_from(_KEYS),
    st.sampled_from(["vegan", "vegetarian", "halal", "Rex", "rex", "green tea", "tea"]),
    st.sampled_from([0.3, 0.5, 0.7, 0.9, 1.0]),
    st.booleans(),
)


@given(st.lists(st.lists(_OBSERVATIONS, max_size=3), max_size=8), st.randoms())
def test_whatever_is_said_the_invariants_hold(
    sayings: list[list[tuple[str, str, float, bool]]], random: object
) -> None:
    messages = [
        [said(key, value, at, sure, f"m{at}", retracts=gone) for key, value, sure, gone in saying]
        for at, saying in enumerate(sayings)
    ]
    book = Book()
    for message in messages:
        before = dict(book.rows)
        book.tell(*message)
        for fact_id, fact in before.items():
            after = book.rows[fact_id]
            assert (after.value, after.valid_from) == (fact.value, fact.valid_from)
            assert fact.status == "active" or after == fact
    active = [fact for fact in book.rows.values() if fact.status == "active"]
    singles = [
        f.key for f in active if f.key.startswith("favorite") or not PREDICATES[f.key].accumulates
    ]
    assert len(singles) == len(set(singles))
    assert len({(f.key, f.value.casefold()) for f in active}) == len(active)
    assert {"vegan", "vegetarian"} - {f.value for f in active if f.key == "diet"}
    for fact in book.rows.values():
        assert (fact.status == "active") == (fact.recorded_to is None)
    replayed = dict(book.rows)
    for message in messages:
        assert book.tell(*message) == []
    assert book.rows == replayed
