"""What observations do to the facts known already (L3). Pure: no clock, no store.

Every statement and retraction is kept as a row, and what holds is what they come to when they are
told in the order of their time. So it does not matter in which order they arrive, and what a
message no longer says is undone by leaving it out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count
from typing import Final

from memory.domain.facts import (
    Applied,
    ContactObservations,
    Fact,
    FactStatus,
    Observation,
    fact_id_of,
)
from memory.facts.claims import (
    Claim,
    claim_in,
    claim_of,
    is_final,
    read_as,
    row_of,
    says_just,
    settled,
    stands,
)
from memory.facts.predicates import predicate
from memory.facts.slots import ANY_VALUE, slot_of, words_of

# Source: SPEC L2 and L3.
MIN_CONFIDENCE: Final = 0.4
MIN_IMPORTANCE: Final = 0.2
MAX_VALUE_CHARS: Final = 1_000
"""What is longer is no value but a text, and is dropped."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to write, rows to insert and rows whose state changed, and what it comes to."""

    inserted: tuple[Fact, ...] = ()
    changed: tuple[Fact, ...] = ()
    applied: Applied = field(default_factory=Applied)

    @staticmethod
    def joined(plans: Iterable[Plan]) -> Plan:
        """Return one plan that does all of them."""
        each = list(plans)
        return Plan(
            tuple(fact for one in each for fact in one.inserted),
            tuple(fact for one in each for fact in one.changed),
            Applied(
                tuple(fact for one in each for fact in one.applied.activated),
                tuple(fact for one in each for fact in one.applied.closed),
            ),
        )


def by_contact(
    batches: Sequence[ContactObservations],
) -> dict[str, list[tuple[Observation, ...]]]:
    """Group messages by contact, in order; those that told nothing are left out."""
    messages: dict[str, list[tuple[Observation, ...]]] = {}
    for batch in batches:
        if batch.observations:
            messages.setdefault(batch.contact_id, []).append(batch.observations)
    return messages


def keys_of(batches: Sequence[ContactObservations]) -> list[str]:
    """Return the keys of the vocabulary that are observed, sorted."""
    keys = {each.key for batch in batches for each in batch.observations}
    return sorted(key for key in keys if predicate(key) is not None)


def plan(
    tenant: str,
    contact_id: str,
    rows: Sequence[Fact],
    messages: Sequence[Sequence[Observation]],
    now: datetime,
) -> Plan:
    """Decide what one contact's messages change.

    `rows`: every row of the contact for each key that the observations name, in the order in which
    they were stored; more does no harm. Applying a message twice changes nothing the second time.
    """
    draft = _Draft(tenant, contact_id, rows, now)
    told = [seen for observations in messages for seen in merge(observations)]
    for seen in told:
        draft.add(seen)
    draft.settle({seen.key for seen in told})
    return draft.plan({seen.source_uid for seen in told})


def correct(
    tenant: str,
    contact_id: str,
    rows: Sequence[Fact],
    source_uid: str,
    observations: Sequence[Observation],
    now: datetime,
) -> Plan:
    """Decide what changes if a message says this, and nothing else that it said before.

    `rows`: all rows of the contact.
    """
    draft = _Draft(tenant, contact_id, rows, now)
    told = merge(observations)
    draft.withdraw(source_uid, {claim_of(seen) for seen in told if draft.has(seen)})
    for seen in told:
        draft.add(seen)
        draft.read_again(seen)
    said_before = {row.key for row in rows if row.source_uid == source_uid}
    draft.settle(said_before | {seen.key for seen in told})
    return draft.plan({source_uid})


class _Draft:
    """One contact's rows while messages are applied to them."""

    def __init__(
        self,
        tenant: str,
        contact_id: str,
        rows: Sequence[Fact],
        now: datetime,
    ) -> None:
        self.tenant, self.contact_id = tenant, contact_id
        self.now = now
        self.before = {row.fact_id: row for row in rows}
        self.rows = dict(self.before)
        self.latest = {claim_in(row): row for row in rows}

    def has(self, seen: Observation) -> bool:
        """Tell whether the message is known to say this, and just so."""
        known = self.latest.get(claim_of(seen))
        return known is not None and says_just(known, seen)

    def add(self, seen: Observation) -> None:
        known = self.latest.get(claim_of(seen))
        if known is not None and stands(known):
            return
        fact_id = self._new_id(seen.source_uid, seen.key, seen.value, seen.retracts)
        self._keep(row_of(self.tenant, self.contact_id, seen, fact_id, self.now))

    def read_again(self, seen: Observation) -> None:
        """Note who read what the message says, and where it stands there now."""
        self._keep(read_as(self.latest[claim_of(seen)], seen))

    def withdraw(self, source_uid: str, kept: Collection[Claim]) -> None:
        for claim, row in list(self.latest.items()):
            if claim.source_uid == source_uid and claim not in kept and stands(row):
                status: FactStatus = "retraction" if claim.retracts else "withdrawn"
                until = row.recorded_to or self.now
                self._keep(replace(row, status=status, recorded_to=until, closed_by=source_uid))

    def settle(self, keys: Collection[str]) -> None:
        """Bring the rows of these keys to what their claims come to."""
        claims: defaultdict[str, list[Fact]] = defaultdict(list)
        for row in self.latest.values():
            if row.key in keys and stands(row):
                claims[row.key].append(row)
        for of_key in claims.values():
            for row in settled(of_key):
                self._become(row)

    def plan(self, told: Collection[str]) -> Plan:
        """Return what to write, and what came of the messages `told`, by uid.

        The same when it is asked again: what held before holds on, whichever row says so now.
        """
        rows = self.rows.values()
        held = {_thing_of(row) for row in self.before.values() if row.status == "active"}
        inserted = [row for row in rows if row.fact_id not in self.before]
        changed = [row for row in rows if self.before.get(row.fact_id, row) != row]
        new = {row.fact_id for row in inserted}
        other = {row.fact_id for row in changed}
        outdone = {claim_in(row) for row in rows if row.closed_by in told}
        activated = [
            row
            for row in rows
            if row.status == "active"
            and (
                (row.fact_id in new and _thing_of(row) not in held)
                or row.source_uid in told
                or claim_in(row) in outdone
            )
        ]
        closed = [
            row
            for row in rows
            if row.status not in ("active", "retraction")
            and row.fact_id not in new
            and (row.fact_id in other or row.closed_by in told)
        ]
        return Plan(tuple(inserted), tuple(changed), Applied(tuple(activated), tuple(closed)))

    def _become(self, outcome: Fact) -> None:
        row = self.rows[outcome.fact_id]
        if outcome == row or is_final(row):
            return
        if outcome.status == "active" and row.status != "active":
            # What was recorded of it before stays: it holds again from now on.
            new_id = self._new_id(row.source_uid, row.key, row.value, retracts=False)
            self._keep(replace(outcome, fact_id=new_id, recorded_from=self.now, recorded_to=None))
        else:
            until = None if outcome.status == "active" else row.recorded_to or self.now
            self._keep(replace(outcome, recorded_to=until))

    def _new_id(self, source_uid: str, key: str, value: str, retracts: bool) -> str:
        """Return the id of a claim's next row."""
        ids = (
            fact_id_of(self.tenant, source_uid, key, value, retracts, number) for number in count()
        )
        return next(each for each in ids if each not in self.rows)

    def _keep(self, row: Fact) -> None:
        self.rows[row.fact_id] = row
        self.latest[claim_in(row)] = row


def _thing_of(said: Fact | Observation) -> tuple[str, tuple[str, ...]]:
    return said.key, words_of(said.value)


def _clean(value: str) -> str:
    # Neither NUL nor a lone surrogate can be stored everywhere.
    text = value.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")
    return " ".join(text.split())


def _cleaned(observation: Observation) -> Observation:
    span = observation.span
    return replace(
        observation,
        value=_clean(observation.value),
        read_by=_clean(observation.read_by),
        span=span if span and 0 <= span[0] <= span[1] else None,
    )


def _is_worth_keeping(observation: Observation) -> bool:
    known = predicate(observation.key)
    return (
        known is not None
        and known.category == observation.category
        and 0 < len(observation.value) <= MAX_VALUE_CHARS
        and MIN_CONFIDENCE <= observation.confidence <= 1
        and (0 if observation.retracts else MIN_IMPORTANCE) <= observation.importance <= 1
        and (observation.retracts or observation.value != ANY_VALUE)
    )


def merge(observations: Sequence[Observation]) -> list[Observation]:
    """Return one message's observations without repetition: retractions first, then statements.

    Duplicates keep the highest confidence and importance; a value both stated and retracted keeps
    what came last. What lies below the thresholds or outside the vocabulary is dropped.
    """
    kept: dict[tuple[str, tuple[str, ...]], Observation] = {}
    for observation in filter(_is_worth_keeping, map(_cleaned, observations)):
        thing = _thing_of(observation)
        before = kept.pop(thing, None)
        merged = observation
        if before is not None and before.retracts == observation.retracts:
            merged = replace(
                before,
                confidence=max(before.confidence, observation.confidence),
                importance=max(before.importance, observation.importance),
            )
        kept[thing] = merged
    said = [each for each in kept.values() if not each.retracts]
    # One message fills a slot once: of several values the surest, of equally sure ones the last.
    outdone = [
        each
        for at, each in enumerate(said)
        if any(
            slot_of(other.key, other.value) == slot_of(each.key, each.value)
            and (other.confidence, beside) > (each.confidence, at)
            for beside, other in enumerate(said)
        )
    ]
    return [each for each in kept.values() if each.retracts] + [
        each for each in said if each not in outdone
    ]
