"""Facts of a day: valid in the world then, and known now or known then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.domain.facts import Fact, Observation
from memory.facts.asof import as_of, never_held, over_of
from memory.facts.predicates import PREDICATES
from memory.facts.supersession import Plan, correct, plan

T0 = datetime(2026, 1, 1, tzinfo=UTC)


def day(number: float) -> datetime:
    return T0 + timedelta(days=number)


def said(
    key: str, value: str, on: float, source: str = "", *, retracts: bool = False
) -> Observation:
    known = PREDICATES[key]
    return Observation(
        known.category,
        key,
        value,
        0.95,
        known.importance,
        source or f"m{on}",
        day(on),
        "contact:a",
        retracts,
    )


class Store:
    """One contact's rows, written on days."""

    def __init__(self) -> None:
        self.rows: dict[str, Fact] = {}

    def tell(self, on: float, *seen: Observation) -> None:
        self._write(plan("t", "a", list(self.rows.values()), [seen], day(on)))

    def correct(self, on: float, source: str, *seen: Observation) -> None:
        self._write(correct("t", "a", list(self.rows.values()), source, seen, day(on)))

    def _write(self, outcome: Plan) -> None:
        self.rows |= {row.fact_id: row for row in (*outcome.inserted, *outcome.changed)}

    def at(self, on: float, known: float | None = None) -> list[str]:
        found = as_of(list(self.rows.values()), day(on), None if known is None else day(known))
        return [fact.value for fact in found]


@pytest.fixture
def moved() -> Store:
    """Leeds from day 1, and York from day 10, of which nobody knew until day 20."""
    store = Store()
    store.tell(1, said("home", "Leeds", 1), said("pet", "Rex", 1))
    store.tell(20, said("home", "York", 10))
    return store


def test_what_held_on_a_day_as_it_is_known_now(moved: Store) -> None:
    assert moved.at(0.9) == []
    assert moved.at(1) == ["Leeds", "Rex"]
    assert moved.at(9.9) == ["Leeds", "Rex"]
    assert moved.at(10) == ["York", "Rex"]
    assert moved.at(400) == ["York", "Rex"]


def test_what_held_on_a_day_as_it_was_known_then(moved: Store) -> None:
    assert moved.at(15, known=0.5) == []
    assert moved.at(15, known=19.9) == ["Leeds", "Rex"]
    assert moved.at(15, known=20) == ["York", "Rex"]
    (leeds, _) = as_of(list(moved.rows.values()), day(15), day(15))
    assert (leeds.status, leeds.valid_to, leeds.closed_by) == ("active", None, None)


def test_what_was_taken_back_held_until_then(moved: Store) -> None:
    moved.tell(30, said("pet", "Rex", 30, retracts=True))
    assert moved.at(29) == ["York", "Rex"]
    assert moved.at(30) == ["York"]
    assert moved.at(30, known=29) == ["York", "Rex"]


def test_what_a_message_says_no_more_never_held_but_was_known(moved: Store) -> None:
    moved.correct(40, "m10")
    assert moved.at(15) == ["Leeds", "Rex"]
    assert moved.at(15, known=39) == ["York", "Rex"]


def test_what_was_only_repeated_or_rejected_is_no_fact_of_its_own(moved: Store) -> None:
    moved.tell(50, said("pet", "rex", 50))
    assert moved.at(60) == ["York", "Rex"]


_TOLD = st.lists(
    st.tuples(st.sampled_from(["home", "pet"]), st.sampled_from(["Leeds", "York"]), st.booleans()),
    max_size=8,
)


@given(_TOLD)
def test_now_it_is_what_is_active(told: Sequence[tuple[str, str, bool]]) -> None:
    store = Store()
    for on, (key, value, retracts) in enumerate(told):
        store.tell(on, said(key, value, on, retracts=retracts))
        active = {row.fact_id for row in store.rows.values() if row.status == "active"}
        for known in (None, day(on)):
            found = as_of(list(store.rows.values()), day(on), known)
            assert {row.fact_id for row in found} == active
    for on in range(len(told)):
        # Told in time, what was known then and what is known now of then are the same.
        assert store.at(on) == store.at(on, known=on)


def test_a_mistake_held_on_no_day_and_was_believed_until_it_was_put_right() -> None:
    store, wrong = Store(), said("home", "Berlin", 0)
    store.tell(0, wrong)
    mistake = replace(wrong, source_uid="m1", stated_at=day(1), retracts=True, until=day(0))
    store.tell(1, mistake, said("home", "Bern", 1))
    assert store.at(0.5) == []
    assert store.at(0.5, known=0.5) == ["Berlin"]
    assert [row.value for row in store.rows.values() if never_held(row)] == ["Berlin"]
    store.tell(2, said("home", "Basel", 2))
    assert [row.value for row in store.rows.values() if never_held(row)] == ["Berlin"]
    # Bern has ended; that it was Berlin was never so.
    assert [row.value for row in over_of(list(store.rows.values()))] == ["Bern"]
