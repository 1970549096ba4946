"""Any sequence of what may happen to facts, on a real store and on plain dicts: they agree."""

from __future__ import annotations

from asyncio import Runner
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple, TypeVar
from uuid import uuid4

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    precondition,
    rule,
    run_state_machine_as_test,
)

from memory.domain.facts import ContactObservations, Fact, Observation
from memory.facts.asof import as_of
from memory.facts.replay import Told, replay
from memory.ports.facts import FactStore
from tests.contract.facts.backend import T0, said

LATEST: Final = T0 + timedelta(days=300)
RECORDED: Final = T0 + timedelta(days=400)
CONTACTS: Final = ("web:alex", "web:bo", "web:cy")
_T = TypeVar("_T")

# Which thing each value names, and how fully.
THINGS: Final[dict[str, dict[str, tuple[str, int]]]] = {
    "home": {
        "Leeds": ("leeds", 1),
        "York": ("york", 1),
        "New York": ("new york", 1),
        "NYC": ("new york", 0),
    },
    "friend": {
        "Priya": ("priya", 0),
        "Priya Nair": ("priya", 1),
        "Ann": ("ann", 0),
        "Anna": ("anna", 0),
    },
    "allergy": {"nut": ("nut", 0), "nuts": ("nut", 0), "nutmeg": ("nutmeg", 0)},
}


class Saying(NamedTuple):
    """One thing that a message says; with `gone` that it holds no more, `*` being any value."""

    key: str
    value: str
    sure: float
    gone: bool


sayings = st.lists(
    st.sampled_from(sorted(THINGS)).flatmap(
        lambda key: st.builds(
            Saying,
            st.just(key),
            st.sampled_from([*THINGS[key], *THINGS[key], "*"]),
            st.sampled_from([0.5, 0.7, 0.95]),
            st.booleans(),
        )
    ),
    max_size=3,
    unique_by=lambda saying: saying.key,
).map(lambda said: [each for each in said if each.gone or each.value != "*"])
contacts = st.sampled_from(CONTACTS)


@dataclass
class Letter:
    """A message of the model: whose it is, when it was said, what it says now."""

    contact: str
    at: int
    says: list[Saying]
    learned: datetime


@dataclass
class Model:
    """What was said, by message, and nothing else: what holds is told over from the start."""

    letters: dict[str, Letter] = field(default_factory=dict)

    def held(self, contact: str, until: int = 10**6) -> set[tuple[str, str, float, int]]:
        """Return key, value, confidence and time of what holds at a time."""
        told = sorted(
            (each for each in self.letters.values() if each.contact == contact),
            key=lambda each: each.at,
        )
        held: dict[tuple[str, str], tuple[str, float, int]] = {}
        for letter in told:
            for saying in letter.says:
                if letter.at <= until:
                    _tell(held, saying, letter.at)
        return {(key, *facts) for (key, _), facts in held.items()}


def _tell(held: dict[tuple[str, str], tuple[str, float, int]], said: Saying, at: int) -> None:
    things = THINGS[said.key]
    if said.gone:
        for slot, (value, _, _) in list(held.items()):
            is_meant = (
                said.value == "*" or things[said.value][0] == THINGS[slot[0]].get(value, ("", 0))[0]
            )
            if slot[0] == said.key and is_meant:
                del held[slot]
        return
    thing, fullness = things[said.value]
    slot = (said.key, "" if said.key == "home" else thing)
    if slot not in held:
        held[slot] = (said.value, said.sure, at)
        return
    value, sure, since = held[slot]
    is_weak = said.sure < min(sure, 0.9)
    if things[value][0] == thing:
        if fullness > things[value][1] and not is_weak:
            held[slot] = (said.value, max(sure, said.sure), at)
        else:
            held[slot] = (value, max(sure, said.sure), since)
    elif not is_weak:
        held[slot] = (said.value, said.sure, at)


class FactStoreMachine(RuleBasedStateMachine):
    """A store with a tenant of its own for each run."""

    def __init__(self, store: FactStore, runner: Runner) -> None:
        super().__init__()
        self.store, self.runner = store, runner
        self.tenant = f"t-{uuid4()}"
        self.model = Model()
        self.clock = RECORDED
        self.times: set[int] = set()
        self.looks: dict[str, list[tuple[datetime, set[str]]]] = {each: [] for each in CONTACTS}

    def done(self, work: Coroutine[Any, Any, _T]) -> _T:
        return self.runner.run(work)

    def now(self) -> datetime:
        self.clock += timedelta(minutes=1)
        return self.clock

    def observations(self, uid: str, says: Sequence[Saying]) -> list[Observation]:
        letter = self.model.letters[uid]
        return [
            said(each.key, each.value, letter.at, each.sure, retracts=each.gone, source=uid)
            for each in says
        ]

    def new_letter(self, contact: str, at: int, says: list[Saying]) -> str:
        while at in self.times:
            at += 1
        self.times.add(at)
        uid = f"m{len(self.times)}"
        self.model.letters[uid] = Letter(contact, at, says, self.now())
        return uid

    def letter(self, number: int) -> tuple[str, Letter]:
        uid = list(self.model.letters)[number % len(self.model.letters)]
        return uid, self.model.letters[uid]

    def check(self, *of: str) -> None:
        for contact in of:
            active = self.done(self.store.active(self.tenant, contact))
            assert _essence(active) == self.model.held(contact)
            assert len(active) == len(_essence(active))
            self.looks[contact].append((self.clock, {fact.fact_id for fact in active}))

    @rule(contact=contacts, at=st.integers(0, 5_000), says=sayings)
    def tell(self, contact: str, at: int, says: list[Saying]) -> None:
        uid = self.new_letter(contact, at, says)
        seen = self.observations(uid, says)
        self.done(self.store.apply(self.tenant, contact, seen, self.clock))
        self.check(contact)

    @rule(told=st.lists(st.tuples(contacts, st.integers(0, 5_000), sayings), max_size=5))
    def import_many(self, told: list[tuple[str, int, list[Saying]]]) -> None:
        batches = []
        for contact, at, says in told:
            uid = self.new_letter(contact, at, says)
            batches.append(ContactObservations(contact, tuple(self.observations(uid, says))))
        self.done(self.store.apply_many(self.tenant, batches, self.clock))
        self.check(*CONTACTS)

    @precondition(lambda self: self.model.letters)
    @rule(numbers=st.lists(st.integers(0, 10**6), min_size=1, max_size=5))
    def tell_again(self, numbers: list[int]) -> None:
        """Old messages come again, in any order: nothing changes."""
        before = {each: self.done(self.store.rows(self.tenant, each)) for each in CONTACTS}
        self.now()
        for uid, letter in map(self.letter, numbers):
            seen = self.observations(uid, letter.says)
            self.done(self.store.apply(self.tenant, letter.contact, seen, self.clock))
        for contact, rows in before.items():
            assert self.done(self.store.rows(self.tenant, contact)) == rows

    @precondition(lambda self: self.model.letters)
    @rule(number=st.integers(0, 10**6), says=sayings)
    def edit(self, number: int, says: list[Saying]) -> None:
        uid, letter = self.letter(number)
        letter.says = says
        seen = self.observations(uid, says)
        self.done(self.store.correct(self.tenant, letter.contact, uid, seen, self.now()))
        self.check(letter.contact)

    @precondition(lambda self: self.model.letters)
    @rule(number=st.integers(0, 10**6))
    def revoke(self, number: int) -> None:
        self.edit(number, [])

    @rule(contact=contacts, other=contacts)
    def join(self, contact: str, other: str) -> None:
        """It turns out that two contacts are one person."""
        if contact == other:
            return
        for letter in self.model.letters.values():
            letter.contact = contact if letter.contact == other else letter.contact
        # With a person who is known under both names, whatever the order in which they are told.
        told = [
            Told(self.observations(uid, letter.says), letter.learned)
            for uid, letter in self.model.letters.items()
            if letter.contact == contact and letter.says
        ]
        self.now()
        rows = self.done(self.store.rows(self.tenant, contact))
        after = replay(self.tenant, contact, rows, told)
        assert self.done(self.store.replace(self.tenant, contact, rows, after))
        gone = self.done(self.store.rows(self.tenant, other))
        assert self.done(self.store.replace(self.tenant, other, gone, []))
        self.looks[contact], self.looks[other] = [], []
        self.check(contact, other)

    @rule(contact=contacts)
    def renew(self, contact: str) -> None:
        """The whole ledger is read again: what holds is what held."""
        told = [
            Told(self.observations(uid, letter.says), letter.learned)
            for uid, letter in self.model.letters.items()
            if letter.contact == contact and letter.says
        ]
        rows = self.done(self.store.rows(self.tenant, contact))
        after = replay(self.tenant, contact, rows, told)
        assert _essence([row for row in after if row.status == "active"]) == self.model.held(
            contact
        )

    @precondition(lambda self: len(self.model.letters) > 15)
    @rule(contact=contacts)
    def erase(self, contact: str) -> None:
        stored = len(self.done(self.store.rows(self.tenant, contact)))
        assert self.done(self.store.forget(self.tenant, contact)) == stored
        letters = self.model.letters
        self.model.letters = {uid: one for uid, one in letters.items() if one.contact != contact}
        self.looks[contact] = []
        self.check(contact)
        assert self.done(self.store.rows(self.tenant, contact)) == []

    @rule(contact=contacts, at=st.integers(0, 5_100))
    def look_back(self, contact: str, at: int) -> None:
        history = self.done(self.store.history(self.tenant, contact))
        held = as_of(history, T0 + timedelta(minutes=at))
        told = {each[:2] for each in self.model.held(contact, at)}
        assert {(fact.key, fact.value) for fact in held} == told
        assert len(held) == len(told)
        for when, known in self.looks[contact]:
            assert {fact.fact_id for fact in as_of(history, LATEST, known=when)} == known

    def teardown(self) -> None:
        for contact in CONTACTS:
            self.look_back(contact, 5_100)
            self.done(self.store.forget(self.tenant, contact))
        assert self.done(self.store.contacts(self.tenant)) == []


def _essence(facts: Sequence[Fact]) -> set[tuple[str, str, float, int]]:
    return {
        (f.key, f.value, f.confidence, (f.valid_from - T0) // timedelta(minutes=1)) for f in facts
    }


def run_machine(store: FactStore, runner: Runner, examples: int, steps: int) -> None:
    """Let anything happen `examples` times, up to `steps` times each."""

    class Machine(FactStoreMachine):
        def __init__(self) -> None:
            super().__init__(store, runner)

    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
