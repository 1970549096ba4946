"""What an observation does to the facts known already (L3). Pure: no clock, no ids, no store.

A slot holds one active fact: the key where it holds one value, the key and value where it
accumulates. Named diets that exclude each other share one slot.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from memory.domain.facts import ContactObservations, Fact, FactStatus, Observation
from memory.facts.predicates import predicate

# Source: SPEC L2 and L3.
MIN_CONFIDENCE: Final = 0.4
MIN_IMPORTANCE: Final = 0.2
EXPLICIT_CONFIDENCE: Final = 0.9
ANY_VALUE: Final = "*"

# Tastes are retracted word for word: who dislikes tea may still like green tea.
_EXACT_RETRACTIONS = frozenset({"like", "dislike", "avoid", "allergy", "language"})
_ARTICLES = frozenset(
    """a an the my der die das ein eine el la los las un una o os as um uma le les une""".split()
)
_REGIMES = (
    ("vegan", "végan", "веган"),
    ("vegetar", "végétar", "veggie", "вегетариан"),
    ("pescatar", "pescetar", "pesketar", "pescetár", "пескетариан"),
    ("eats everything", "eat everything", "everything", "omnivor", "meat eater", "всеяд"),
)


@dataclass(frozen=True, slots=True)
class Plan:
    """What to write: rows to insert, rows whose state changed, and the facts now newly active."""

    inserted: tuple[Fact, ...] = ()
    changed: tuple[Fact, ...] = ()
    activated: tuple[Fact, ...] = ()

    @staticmethod
    def joined(plans: Iterable[Plan]) -> Plan:
        """Return one plan that does all of them."""
        each = list(plans)
        return Plan(
            tuple(fact for one in each for fact in one.inserted),
            tuple(fact for one in each for fact in one.changed),
            tuple(fact for one in each for fact in one.activated),
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


def _words(value: str) -> tuple[str, ...]:
    words = re.findall(r"\w+", value.casefold())
    while len(words) > 1 and words[0] in _ARTICLES:
        words = words[1:]
    return tuple(words)


def _stems(value: str) -> tuple[str, ...]:
    return tuple(
        word[:-1] if len(word) > 3 and word.endswith("s") else word for word in _words(value)
    )


def _same_value(one: str, other: str) -> bool:
    return one.casefold().strip() == other.casefold().strip() or (
        _words(one) == _words(other) != ()
    )


def _regime(value: str) -> int | None:
    folded = value.casefold()
    for number, stems in enumerate(_REGIMES):
        if folded.startswith(stems):
            return number
    return None


def _same_slot(key: str, one: str, other: str) -> bool:
    known = predicate(key)
    if known is not None and not known.accumulates:
        return True
    if key == "diet" and _regime(one) is not None and _regime(other) is not None:
        return True
    return _same_value(one, other)


def _is_retracted(fact: Fact, retraction: Observation) -> bool:
    # The message's own statements outlive its retractions ("left my old job, I'm at Wise now"),
    # and what was stated later than the retraction is news.
    if fact.key != retraction.key or fact.source_uid == retraction.source_uid:
        return False
    if fact.valid_from > retraction.stated_at:
        return False
    if retraction.value == ANY_VALUE or _same_value(fact.value, retraction.value):
        return True
    if fact.key == "diet" and _regime(fact.value) is not None:
        return _regime(fact.value) == _regime(retraction.value)
    gone, held = _stems(retraction.value), _stems(fact.value)
    if fact.key in _EXACT_RETRACTIONS:
        return gone == held
    return bool(gone) and set(gone) <= set(held)


def _clean(value: str) -> str:
    # Neither NUL nor a lone surrogate can be stored everywhere.
    text = value.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")
    return " ".join(text.split())


def _is_worth_keeping(observation: Observation) -> bool:
    known = predicate(observation.key)
    return (
        known is not None
        and known.category == observation.category
        and bool(observation.value)
        and observation.confidence >= MIN_CONFIDENCE
        and (observation.retracts or observation.importance >= MIN_IMPORTANCE)
        and (observation.retracts or observation.value != ANY_VALUE)
    )


def merge(observations: Sequence[Observation]) -> list[Observation]:
    """Return one message's observations without repetition: retractions first, then statements.

    Duplicates keep the highest confidence and importance; a value both stated and retracted keeps
    what came last. What lies below the thresholds or outside the vocabulary is dropped.
    """
    kept: dict[tuple[str, tuple[str, ...] | str], Observation] = {}
    cleaned = (replace(each, value=_clean(each.value)) for each in observations)
    for observation in filter(_is_worth_keeping, cleaned):
        slot = (observation.key, _words(observation.value) or observation.value)
        before = kept.pop(slot, None)
        merged = observation
        if before is not None and before.retracts == observation.retracts:
            merged = replace(
                before,
                confidence=max(before.confidence, observation.confidence),
                importance=max(before.importance, observation.importance),
            )
        kept[slot] = merged
    said = [each for each in kept.values() if not each.retracts]
    # One message fills a slot once: of several values the surest, of equally sure ones the last.
    outdone = [
        each
        for at, each in enumerate(said)
        if any(
            other.key == each.key
            and _same_slot(each.key, each.value, other.value)
            and (other.confidence, beside) > (each.confidence, at)
            for beside, other in enumerate(said)
        )
    ]
    return [each for each in kept.values() if each.retracts] + [
        each for each in said if each not in outdone
    ]


class _Draft:
    """One contact's rows while messages are applied to them."""

    def __init__(
        self,
        tenant: str,
        contact_id: str,
        rows: Sequence[Fact],
        now: datetime,
        new_id: Callable[[], str],
    ) -> None:
        self.tenant, self.contact_id = tenant, contact_id
        self.now, self.new_id = now, new_id
        self.before = {row.fact_id: row for row in rows}
        self.rows = dict(self.before)

    def close(self, fact: Fact, valid_to: datetime) -> None:
        self.rows[fact.fact_id] = replace(
            fact, status="closed", valid_to=valid_to, recorded_to=self.now
        )

    def add(self, seen: Observation, status: FactStatus, valid_to: datetime | None = None) -> None:
        fact = Fact(
            fact_id=self.new_id(),
            tenant=self.tenant,
            contact_id=self.contact_id,
            category=seen.category,
            key=seen.key,
            value=seen.value,
            confidence=seen.confidence,
            importance=seen.importance,
            source_uid=seen.source_uid,
            anchor=seen.anchor,
            status=status,
            valid_from=seen.stated_at,
            valid_to=valid_to,
            recorded_from=self.now,
            recorded_to=None if status == "active" else self.now,
        )
        self.rows[fact.fact_id] = fact

    def retract(self, seen: Observation) -> None:
        for fact in list(self.rows.values()):
            if fact.status == "active" and _is_retracted(fact, seen):
                self.close(fact, seen.stated_at)

    def state(self, seen: Observation) -> None:
        rows = [row for row in self.rows.values() if row.key == seen.key]
        if any(
            row.source_uid == seen.source_uid and _same_value(row.value, seen.value) for row in rows
        ):
            return
        slot = [
            row
            for row in rows
            if row.status != "rejected" and _same_slot(seen.key, row.value, seen.value)
        ]
        if any(_held_then(row, seen) for row in slot):
            return
        later = [row.valid_from for row in slot if row.valid_from > seen.stated_at]
        if later:
            # A late import: it was true once, but something newer is known.
            self.add(seen, "closed", min(later))
            return
        self.compete(seen, [row for row in slot if row.status == "active"])

    def compete(self, seen: Observation, active: Sequence[Fact]) -> None:
        same = next((row for row in active if _same_value(row.value, seen.value)), None)
        if same is not None:
            if seen.confidence > same.confidence:
                self.rows[same.fact_id] = replace(same, confidence=seen.confidence)
            return
        strongest = max((row.confidence for row in active), default=0.0)
        if seen.confidence < EXPLICIT_CONFIDENCE and seen.confidence < strongest:
            self.add(seen, "rejected")
            return
        for row in active:
            self.close(row, seen.stated_at)
        self.add(seen, "active")

    def plan(self) -> Plan:
        inserted = tuple(row for row in self.rows.values() if row.fact_id not in self.before)
        changed = tuple(
            row for row in self.rows.values() if self.before.get(row.fact_id, row) != row
        )
        return Plan(inserted, changed, tuple(row for row in inserted if row.status == "active"))


def _held_then(row: Fact, seen: Observation) -> bool:
    return (
        row.status == "closed"
        and row.valid_to is not None
        and row.valid_from <= seen.stated_at < row.valid_to
        and _same_value(row.value, seen.value)
    )


def plan(
    tenant: str,
    contact_id: str,
    rows: Sequence[Fact],
    messages: Sequence[Sequence[Observation]],
    now: datetime,
    new_id: Callable[[], str],
) -> Plan:
    """Decide what one contact's messages change, applied one after the other.

    `rows`: all active facts of the contact, and its history for every key and every source that
    the observations name; more does no harm. Applying a message twice changes nothing the second
    time: a row remembers its source, and what held at the time of a statement absorbs it.
    """
    draft = _Draft(tenant, contact_id, rows, now, new_id)
    for observations in messages:
        for seen in merge(observations):
            if seen.retracts:
                draft.retract(seen)
            else:
                draft.state(seen)
    return draft.plan()


def join(target: str, own: Sequence[Fact], other: Sequence[Fact], now: datetime) -> Plan:
    """Decide what becomes of facts that turn out to be about the contact `target`.

    `own`: all facts of `target`; `other`: all facts of its other id. Where both have an active
    fact for one slot, what was stated later counts, unless it is a guess beside something surer.
    In the plan, `inserted` are the facts of `other` as they are kept: theirs are the contact, and
    the anchor of its direct chat; the rest as it was, or closed. `changed` are those of `own`.
    """
    rows = {fact.fact_id: fact for fact in own}
    for fact in other:
        anchor = f"contact:{target}" if fact.anchor == f"contact:{fact.contact_id}" else fact.anchor
        rows[fact.fact_id] = replace(fact, contact_id=target, anchor=anchor)
    by_time = sorted(
        (row for row in rows.values() if row.status == "active"), key=lambda row: row.valid_from
    )
    for place, later in enumerate(by_time):
        rivals = [
            row
            for each in by_time[:place]
            if (row := rows[each.fact_id]).status == "active"
            and row.key == later.key
            and _same_slot(row.key, row.value, later.value)
        ]
        rows.update((row.fact_id, row) for row in _compete(rivals, later, now))
    known = {fact.fact_id: fact for fact in own}
    return Plan(
        inserted=tuple(rows[fact.fact_id] for fact in other),
        changed=tuple(row for key, row in rows.items() if key in known and known[key] != row),
    )


def _compete(rivals: Sequence[Fact], later: Fact, now: datetime) -> list[Fact]:
    """Return the rows as they are once a later statement met the active ones of its slot."""
    same = next((row for row in rivals if _same_value(row.value, later.value)), None)
    if same is not None:
        sure = max(same.confidence, later.confidence)
        return [
            replace(same, confidence=sure),
            replace(later, status="closed", valid_to=later.valid_from, recorded_to=now),
        ]
    strongest = max((row.confidence for row in rivals), default=0.0)
    if later.confidence < EXPLICIT_CONFIDENCE and later.confidence < strongest:
        return [replace(later, status="rejected", recorded_to=now)]
    return [
        replace(row, status="closed", valid_to=later.valid_from, recorded_to=now) for row in rivals
    ]
