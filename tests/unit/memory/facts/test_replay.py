"""Replaying a contact's messages: what the fact store should hold, and what it holds already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.domain.facts import Fact, Observation
from memory.facts.predicates import PREDICATES
from memory.facts.replay import Told, replay, taken_back
from memory.facts.supersession import correct, plan

T0 = datetime(2026, 1, 1, tzinfo=UTC)
LEARNED = datetime(2027, 1, 1, tzinfo=UTC)


def said(
    key: str,
    value: str,
    at: int = 0,
    confidence: float = 0.95,
    source: str = "",
    *,
    retracts: bool = False,
) -> Observation:
    known = PREDICATES[key]
    stated_at = T0 + timedelta(hours=at)
    return Observation(
        known.category,
        key,
        value,
        confidence,
        known.importance,
        source or f"m{at}",
        stated_at,
        "contact:a",
        retracts,
    )


def told(*messages: Observation) -> list[Told]:
    return [Told([each], each.stated_at + timedelta(minutes=1)) for each in messages]


def learned(*messages: Observation, rows: Sequence[Fact] = ()) -> list[Fact]:
    """Return the rows of a store that learned the messages one by one."""
    stored = {row.fact_id: row for row in rows}
    for each in messages:
        outcome = plan("t", "a", list(stored.values()), [[each]], LEARNED)
        stored |= {row.fact_id: row for row in (*outcome.inserted, *outcome.changed)}
    return list(stored.values())


def active(rows: Sequence[Fact]) -> list[tuple[str, str, float]]:
    return sorted((row.key, row.value, row.confidence) for row in rows if row.status == "active")


_MESSAGES = st.lists(
    st.builds(
        said,
        st.sampled_from(["home", "pet", "diet", "like"]),
        st.sampled_from(["Leeds", "York", "vegan", "halal", "Rex"]),
        confidence=st.sampled_from([0.5, 0.7, 0.95]),
        retracts=st.booleans(),
    ),
    max_size=8,
).map(
    lambda messages: [
        replace(each, stated_at=T0 + timedelta(hours=at), source_uid=f"m{at}")
        for at, each in enumerate(messages)
    ]
)


@given(_MESSAGES, st.randoms(use_true_random=False))
def test_what_was_learned_stays_as_it_is(messages: list[Observation], random: Random) -> None:
    arriving = random.sample(messages, len(messages))
    rows = learned(*arriving)
    assert replay("t", "a", rows, told(*messages)) == rows


@given(_MESSAGES)
def test_from_nothing_comes_what_was_learned(messages: list[Observation]) -> None:
    rows = replay("t", "a", [], told(*messages))
    assert active(rows) == active(learned(*messages))
    assert replay("t", "a", rows, told(*messages)) == rows
    assert learned(*messages, rows=rows) == rows
    for row in rows:
        assert (row.status in ("active", "retraction")) == (row.recorded_to is None)
        assert row.recorded_to is None or row.recorded_from <= row.recorded_to < LEARNED


@given(_MESSAGES, st.data())
def test_what_a_message_says_no_more_stays_as_history(
    messages: list[Observation], data: st.DataObject
) -> None:
    rows = learned(*messages)
    gone = data.draw(st.sets(st.sampled_from([each.source_uid for each in messages] or ["m"])))
    for source in sorted(gone):
        outcome = correct("t", "a", rows, source, [], LEARNED)
        by_id = {row.fact_id: row for row in (*rows, *outcome.inserted, *outcome.changed)}
        rows = list(by_id.values())
    left = [each for each in messages if each.source_uid not in gone]
    assert replay("t", "a", rows, told(*left)) == rows


@given(_MESSAGES, st.data())
def test_whatever_was_broken_is_as_it_was(messages: list[Observation], data: st.DataObject) -> None:
    rows = replay("t", "a", [], told(*messages))
    broken = []
    for row in rows:
        match data.draw(st.sampled_from(["as it is", "gone", "changed", "moved", "ended"])):
            case "as it is":
                broken.append(row)
            case "changed":
                broken.append(replace(row, value="Paris", confidence=0.41))
            case "moved":
                broken.append(replace(row, anchor="contact:b", source_uid="x"))
            case "ended":
                broken.append(replace(row, status="closed", recorded_to=LEARNED))
    extra = replace(learned(said("pet", "Ghost", source="nobody"))[0], fact_id="made up")
    mended = replay("t", "a", [*broken, extra], told(*messages))
    assert [_unrecorded(row) for row in mended] == [_unrecorded(row) for row in rows]


def _unrecorded(row: Fact) -> Fact:
    """Return a row without what follows from when somebody learned of its end."""
    return replace(row, recorded_to=None)


def test_ids_are_those_of_the_store_that_was_lost() -> None:
    messages = [said("home", "Leeds"), said("home", "York", 1), said("pet", "*", 2, retracts=True)]
    ids = [row.fact_id for row in learned(*messages)]
    assert [row.fact_id for row in replay("t", "a", [], told(*messages))] == ids
    old = [replace(row, fact_id=f"drawn {n}") for n, row in enumerate(learned(*messages))]
    renewed = replay("t", "a", old[:2], told(*messages[:1], said("home", "Bath", 1)))
    assert next((row.fact_id, row.value) for row in renewed) == ("drawn 0", "Leeds")


def test_a_row_is_recorded_when_its_message_was_and_until_what_ended_it_was() -> None:
    late, later = T0 + timedelta(days=1), T0 + timedelta(days=2)
    old, new = replay(
        "t",
        "a",
        [],
        [Told([said("home", "York", 5)], late), Told([said("home", "Leeds", 1)], later)],
    )
    assert (old.value, old.recorded_from, old.recorded_to) == ("York", late, None)
    assert (new.value, new.recorded_from, new.recorded_to) == ("Leeds", later, later)


@pytest.mark.parametrize("is_lost", [True, False])
def test_what_a_command_took_back_stays_forgotten(is_lost: bool) -> None:
    messages = [said("home", "Leeds"), said("home", "Leeds", 1)]
    forgotten = said("home", "Leeds", 2, source="c/command", retracts=True)
    rows = learned(*messages, forgotten)
    by_ledger = replay("t", "a", [] if is_lost else rows, told(*messages), [forgotten])
    assert active(by_ledger) == []
    assert [row.fact_id for row in by_ledger] == [row.fact_id for row in rows]
    assert taken_back(rows) == [replace(forgotten, confidence=1.0)]
    again = told(*messages, said("home", "Leeds", 3))
    assert active(replay("t", "a", rows, again, [forgotten])) == [("home", "Leeds", 0.95)]


def test_what_ended_before_ends_were_recorded_does_not_come_back() -> None:
    said_once = said("home", "Leeds")
    (row,) = learned(said_once)
    ended = replace(
        row, fact_id="drawn", status="closed", recorded_to=LEARNED, valid_to=T0 + timedelta(hours=2)
    )
    repeated = said("home", "Leeds", 1)
    noted = said("home", "Leeds", 2, 1.0, source="m0/ended", retracts=True)
    assert taken_back([ended]) == [noted]
    for retractions in ([], [noted]):
        rows = replay("t", "a", [ended], told(said_once, repeated), retractions)
        assert rows[0] == ended
        assert active(rows) == []
        assert len(rows) == 2
    assert active(replay("t", "a", [], told(said_once, repeated), [noted])) == []


def test_who_reads_it_now_makes_no_other_row() -> None:
    old = said("home", "Leeds", 0)
    rows = learned(old, said("pet", "Rex", 1))
    read = [replace(old, read_by="rules/2", span=(10, 15)), said("pet", "Rex", 1)]
    assert replay("t", "a", rows, told(*read)) == [
        replace(rows[0], read_by="rules/2", span=(10, 15)),
        rows[1],
    ]
    assert replay("t", "a", learned(*read), told(old, read[1])) == learned(*read)
