"""Supersession: the rules of L3, and what holds for every history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.domain.facts import Fact, Observation
from memory.facts.predicates import PREDICATES, fact_sentence, predicate
from memory.facts.supersession import Plan, correct, merge, plan

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

    def tell(self, *seen: Observation) -> list[str]:
        rows = list(self.rows.values())
        return self._carry_out(plan("t", "a", rows, [seen], NOW))

    def correct(self, source: str, *seen: Observation) -> list[str]:
        rows = list(self.rows.values())
        return self._carry_out(correct("t", "a", rows, source, seen, NOW))

    def _carry_out(self, outcome: Plan) -> list[str]:
        for fact in (*outcome.inserted, *outcome.changed):
            self.rows[fact.fact_id] = fact
        return [fact.value for fact in outcome.applied.activated]

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
    (held,) = [fact for fact in book.rows.values() if fact.status == "active"]
    assert (held.value, held.confidence, held.valid_from) == ("Rex", 0.8, T0)
    assert book.values("repeated") == ["REX", "rex"]


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


def test_a_guess_of_a_fuller_name_only_repeats_what_was_said_outright() -> None:
    book = told(said("spouse", "Priya"), said("spouse", "Priya Shah", 1, 0.7))
    assert (book.values(), book.values("repeated")) == (["Priya"], ["Priya Shah"])
    assert book.tell(said("spouse", "Priya Nair", 2)) == ["Priya Nair"]
    book.tell(said("spouse", "Priya", 3, 1.0))
    [held] = [fact for fact in book.rows.values() if fact.status == "active"]
    assert (held.value, held.confidence) == ("Priya Nair", 1.0)


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
    came_of: list[list[str]] = []
    for message in messages:
        before = dict(book.rows)
        came_of.append(book.tell(*message))
        for fact_id, fact in before.items():
            after = book.rows[fact_id]
            assert (after.value, after.valid_from) == (fact.value, fact.valid_from)
            assert fact.status == "active" or after.status != "active"
    active = [fact for fact in book.rows.values() if fact.status == "active"]
    singles = [
        f.key for f in active if f.key.startswith("favorite") or not PREDICATES[f.key].accumulates
    ]
    assert len(singles) == len(set(singles))
    assert len({(f.key, f.value.casefold()) for f in active}) == len(active)
    assert {"vegan", "vegetarian"} - {f.value for f in active if f.key == "diet"}
    for fact in book.rows.values():
        assert (fact.status in ("active", "retraction")) == (fact.recorded_to is None)
    replayed = dict(book.rows)
    for message in messages:
        book.tell(*message)
    assert book.rows == replayed
    if messages:
        assert book.tell(*messages[-1]) == came_of[-1]


def test_what_was_taken_back_is_not_believed_when_it_is_told_late() -> None:
    book = told(said("allergy", "nuts", 5, retracts=True), said("allergy", "nuts", 1))
    assert book.values() == []
    [late] = [fact for fact in book.rows.values() if fact.status == "closed"]
    assert late.valid_to == T0 + timedelta(hours=5)
    assert book.tell(said("allergy", "Nuts", 7)) == ["Nuts"]


def test_a_late_retraction_spares_what_was_said_again_after_it() -> None:
    book = told(said("pet", "Rex", 1), said("pet", "Rex", 9), said("pet", "Rex", 5, retracts=True))
    [held] = [fact for fact in book.rows.values() if fact.status == "active"]
    assert held.valid_from == T0 + timedelta(hours=9)


_CLAIMS = st.lists(
    st.tuples(
        st.sampled_from([("home", "Leeds"), ("home", "York"), ("pet", "Rex"), ("pet", "Mia")]),
        st.sampled_from(
            ["says", "says", "takes back", "takes all back", "sets by hand", "forgets by hand"]
        ),
        st.sampled_from([0.5, 0.7, 0.95]),
    ),
    max_size=7,
)
_Claim = tuple[tuple[str, str], str, float]


def _as_observations(claims: Sequence[_Claim]) -> list[Observation]:
    return [
        said(
            key,
            "*" if act == "takes all back" else value,
            at,
            1.0 if act == "sets by hand" else sure,
            f"m{at}/correction" if act.endswith("by hand") else f"m{at}",
            retracts=act not in ("says", "sets by hand"),
        )
        for at, ((key, value), act, sure) in enumerate(claims)
    ]


def _plainly(claims: Sequence[_Claim]) -> list[tuple[str, str, float, int]]:
    """Return key, value, confidence and time of what holds after claims told in order."""
    held: dict[tuple[str, str], tuple[str, str, float, int]] = {}
    barred: set[tuple[str, str]] = set()
    for at, ((key, value), act, stated) in enumerate(claims):
        slot = (key, "" if key == "home" else value)
        now = held.get(slot)
        sure = 1.0 if act == "sets by hand" else stated
        if act == "forgets by hand":
            held.pop(slot, None)
            barred.add((key, value))
            continue
        if act == "takes all back":
            held = {one: fact for one, fact in held.items() if one[0] != key}
            continue
        if act == "takes back":
            held = {one: fact for one, fact in held.items() if fact[:2] != (key, value)}
            continue
        if (key, value) in barred and sure < 0.9:
            continue
        barred.discard((key, value))
        if now is not None and now[1] == value:
            held[slot] = (key, value, max(now[2], sure), now[3])
        elif now is None or sure >= min(now[2], 0.9):
            held[slot] = (key, value, sure, at)
    return sorted(held.values())


def _holding(book: Book) -> list[tuple[str, str, float, int]]:
    return sorted(
        (fact.key, fact.value, fact.confidence, (fact.valid_from - T0) // timedelta(hours=1))
        for fact in book.rows.values()
        if fact.status == "active"
    )


@given(_CLAIMS, st.randoms(use_true_random=False))
def test_the_order_of_arrival_does_not_matter(claims: list[_Claim], random: Random) -> None:
    arriving = _as_observations(claims)
    random.shuffle(arriving)
    assert _holding(told(*arriving)) == _plainly(claims)


def test_what_held_all_along_came_of_no_correction() -> None:
    """Leeds holds again for a while, so that another row says York; York held before."""
    acts = ["says", "forgets by hand", "says", "says", "says"]
    leeds = [(("home", "Leeds"), act, 0.7 if n == 4 else 0.5) for n, act in enumerate(acts)]
    york = [(("home", "York"), act, 0.5) for act in ("says", "sets by hand")]
    book = told(*_as_observations([*leeds, *york]))
    assert book.values() == ["York"]
    assert [book.correct(source) for source in ("m0", "m1/correction", "m1/correction")] == [[]] * 3
    assert book.values() == ["York"]


@given(_CLAIMS, st.randoms(use_true_random=False), st.data())
def test_what_is_withdrawn_was_never_said(
    claims: list[_Claim], random: Random, data: st.DataObject
) -> None:
    arriving = _as_observations(claims)
    random.shuffle(arriving)
    book = told(*arriving)
    gone = data.draw(st.sets(st.sampled_from([seen.source_uid for seen in arriving] or ["m"])))
    for source in sorted(gone):
        came_of = book.correct(source)
        before = dict(book.rows)
        assert (book.correct(source), book.rows) == (came_of, before)
    assert _holding(book) == _holding(told(*(s for s in arriving if s.source_uid not in gone)))
    for source in sorted(gone):
        book.correct(source, *(seen for seen in arriving if seen.source_uid == source))
    assert _holding(book) == _plainly(claims)


def test_what_a_corrected_statement_had_superseded_holds_again() -> None:
    book = told(said("home", "Leeds"), said("home", "York", 1, source="m"))
    assert book.correct("m", said("pet", "Rex", 1, source="m")) == ["Rex", "Leeds"]
    assert book.values() == ["Leeds", "Rex"]
    assert (book.values("closed"), book.values("withdrawn")) == (["Leeds"], ["York"])
    closed, again = [fact for fact in book.rows.values() if fact.value == "Leeds"]
    assert (closed.valid_to, closed.closed_by) == (T0 + timedelta(hours=1), "m")
    assert (again.source_uid, again.valid_from) == (closed.source_uid, closed.valid_from)
    assert (again.recorded_from, again.valid_to) == (NOW, None)


def test_what_a_corrected_retraction_had_closed_holds_again_unless_closed_since() -> None:
    book = told(said("diet", "vegan"), said("diet", "halal"))
    book.tell(said("diet", "*", 1, source="m", retracts=True))
    book.tell(said("diet", "vegan", 2, retracts=True))
    assert book.correct("m") == ["halal"]
    assert book.values() == ["halal"]


def test_what_ended_before_ends_were_recorded_does_not_come_back() -> None:
    book = told(said("home", "Leeds"), said("home", "York", 1, source="m"))
    for fact_id, fact in book.rows.items():
        book.rows[fact_id] = replace(fact, closed_by=None)
    before = dict(book.rows)
    assert book.tell(said("home", "Leeds", 0, source="late")) == []
    assert {key: book.rows[key] for key in before} == before
    assert book.correct("m") == []
    assert book.values() == []


def by_hand(key: str, value: str, at: int, *, retracts: bool = False) -> Observation:
    return said(key, value, at, 1.0, f"c{at}/correction", retracts=retracts)


def test_a_correction_outranks_guesses_and_what_was_said_before_it() -> None:
    book = told(said("home", "Leeds", 1, source="m"), by_hand("home", "York", 5))
    assert book.tell(said("home", "Bath", 9, 0.89)) == []
    assert book.tell(said("home", "Hull", 4)) == []
    book.correct("m", said("home", "Oxford", 1, source="m"))
    assert book.values() == ["York"]
    assert book.tell(said("home", "Berlin", 12, 0.9)) == ["Berlin"]


def test_what_was_taken_back_by_hand_comes_back_only_when_it_is_said_outright() -> None:
    book = told(said("pet", "Rex", 1), by_hand("pet", "Rex", 5, retracts=True))
    assert book.tell(said("pet", "Rex", 3)) == []
    assert book.tell(said("pet", "rex", 8, 0.8)) == []
    assert book.tell(said("pet", "Mia", 8, 0.8)) == ["Mia"]
    assert book.tell(said("pet", "Rex", 9)) == ["Rex"]
    book.tell(said("pet", "Rex", 10, retracts=True))
    assert book.tell(said("pet", "Rex", 11, 0.8)) == ["Rex"]


def test_an_older_message_says_nothing_in_place_of_a_single_value_taken_back_by_hand() -> None:
    book = told(said("home", "Leeds", 1, source="m"), by_hand("home", "Leeds", 5, retracts=True))
    book.correct("m", said("home", "York", 1, source="m"))
    assert book.values() == []
    assert book.tell(said("home", "Bath", 6, 0.8)) == ["Bath"]


def test_a_correction_may_be_of_the_spelling_alone() -> None:
    book = told(said("name", "alex mccartney", 1), by_hand("name", "Alex McCartney", 5))
    assert book.values() == ["Alex McCartney"]
    book.tell(said("name", "alex mccartney", 9))
    assert book.values() == ["Alex McCartney"]
