"""What messages claim, and what the claims of one key come to (L3). Pure.

Every statement and retraction is a row. What holds is what the rows of a key come to when they are
told in the order of their time; of one time, in the order in which they are given. What a person
corrected by hand outranks every guess: of what is told later, only an outright statement counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple

from memory.domain.facts import Fact, Observation, is_by_hand
from memory.facts.slots import Slot, is_fuller, is_meant, is_same, slot_of, words_of
from memory.facts.spellings import PEOPLE

# Source: SPEC L3.
EXPLICIT_CONFIDENCE: Final = 0.9
FOR_A_WHILE: Final = "for a while"
"""Ends the slot of what holds for a while: it stands beside what holds for good."""


class Claim(NamedTuple):
    """What makes two rows versions of one: a message says a thing once."""

    source_uid: str
    key: str
    words: tuple[str, ...]
    retracts: bool


def claim_of(seen: Observation) -> Claim:
    """Return what an observation claims."""
    return Claim(seen.source_uid, seen.key, words_of(seen.value), seen.retracts)


def claim_in(row: Fact) -> Claim:
    """Return the claim of which a row is a version."""
    return Claim(row.source_uid, row.key, words_of(row.value), row.status == "retraction")


def _stated(row: Fact) -> tuple[object, ...]:
    stated = row.confidence if row.stated_confidence is None else row.stated_confidence
    return (
        row.category,
        row.value,
        stated,
        row.importance,
        row.valid_from,
        row.anchor,
        row.expires_at,
    )


def says_just(row: Fact, seen: Observation) -> bool:
    """Tell whether a row's message still says so, and just as in this observation."""
    return stands(row) and _stated(row) == _stated_by(seen)


def _stated_by(seen: Observation) -> tuple[object, ...]:
    return (
        seen.category,
        seen.value,
        seen.confidence,
        seen.importance,
        seen.stated_at,
        seen.anchor,
        seen.until,
    )


def stands(row: Fact) -> bool:
    """Tell whether a row's message still says so."""
    if row.status == "retraction":
        return row.recorded_to is None
    return row.status != "withdrawn"


def is_final(row: Fact) -> bool:
    """Tell whether something ended a fact that was not recorded: it stays as it is."""
    return row.status == "closed" and row.closed_by is None


def row_of(tenant: str, contact_id: str, seen: Observation, fact_id: str, now: datetime) -> Fact:
    """Return the row of an observation that nothing has met yet."""
    return Fact(
        fact_id=fact_id,
        tenant=tenant,
        contact_id=contact_id,
        category=seen.category,
        key=seen.key,
        value=seen.value,
        confidence=seen.confidence,
        importance=seen.importance,
        source_uid=seen.source_uid,
        anchor=seen.anchor,
        status="retraction" if seen.retracts else "active",
        valid_from=seen.stated_at,
        valid_to=seen.until,
        recorded_from=now,
        recorded_to=None,
        read_by=seen.read_by,
        span=seen.span,
        expires_at=seen.until,
    )


def read_as(row: Fact, seen: Observation) -> Fact:
    """Return a row with who read it now, and where, if that is known; it says the same."""
    if not seen.read_by:
        return row
    return replace(row, read_by=seen.read_by, span=seen.span)


def settled(claims: Sequence[Fact]) -> list[Fact]:
    """Return the statements of one key as all of its claims leave them."""
    active: dict[Slot, Fact] = {}
    done: list[Fact] = []
    taken_back: list[Fact] = []
    for claim in sorted(_as_told(claims), key=lambda row: row.valid_from):
        if claim.status == "retraction":
            gone = _taken(active, claim)
            done += [_closed(active.pop(slot), claim) for slot in gone]
            taken_back += [claim] if is_by_hand(claim.source_uid) else []
            continue
        against = [each for each in taken_back if is_meant(claim.key, each.value, claim.value)]
        if against and claim.confidence < EXPLICIT_CONFIDENCE:
            done.append(replace(claim, status="rejected", closed_by=against[-1].source_uid))
            continue
        taken_back = [each for each in taken_back if each not in against]
        slot = _slot_among(active, claim)
        _end_other(active, done, claim, slot)
        held = active.setdefault(slot, claim)
        if held is claim:
            continue
        if _is_over(held, claim):
            done.append(held)
            active[slot] = claim
            continue
        is_weak = claim.confidence < min(EXPLICIT_CONFIDENCE, held.confidence)
        if is_same(claim.key, claim.value, held.value):
            if (_is_better(claim, held) or claim.expires_at != held.expires_at) and not is_weak:
                done.append(_closed(held, claim))
                active[slot] = _raised(claim, held.confidence)
            else:
                done.append(replace(claim, status="repeated", closed_by=held.source_uid))
                active[slot] = _raised(held, claim.confidence)
        elif is_weak:
            done.append(replace(claim, status="rejected", closed_by=held.source_uid))
        else:
            done.append(_closed(held, claim))
            active[slot] = claim
    return [*done, *active.values()]


def _slot_among(active: Mapping[Slot, Fact], claim: Fact) -> Slot:
    """Return the slot of a claim: of one thing under another name the slot that it has already."""
    slot = slot_of(claim.key, claim.value)
    if claim.expires_at is not None:
        return (*slot, FOR_A_WHILE)
    if slot in active or claim.key not in PEOPLE:
        return slot
    same = (s for s, held in active.items() if is_same(claim.key, claim.value, held.value))
    return next(same, slot)


def _end_other(active: dict[Slot, Fact], done: list[Fact], claim: Fact, slot: Slot) -> None:
    """End what holds beside a claim and is the same for longer, or shorter, by what it says now.

    What is so for a while leaves alone what is so for good, unless it says when that ends ("I work
    at Acme until March"); what is said outright to be so for good ends what was for a while.
    """
    lasts = claim.expires_at is None
    other = (*slot, FOR_A_WHILE) if lasts else slot[:-1]
    held = active.get(other)
    if held is None or _is_over(held, claim) or claim.confidence < EXPLICIT_CONFIDENCE:
        return
    if lasts or is_same(claim.key, claim.value, held.value):
        done.append(_closed(active.pop(other), claim))


def _is_over(held: Fact, claim: Fact) -> bool:
    return held.expires_at is not None and held.expires_at <= claim.valid_from


def _as_told(claims: Sequence[Fact]) -> list[Fact]:
    """Return claims as they were before others met them, in the order in which they were stored.

    A fact that ended without a record is a statement and its end, which comes before whatever was
    said at that time.
    """
    ends: list[Fact] = []
    told: list[Fact] = []
    for row in claims:
        if is_final(row) and row.valid_to is not None:
            if row.valid_to <= row.valid_from:
                continue
            ends.append(replace(row, status="retraction", valid_from=row.valid_to, source_uid=""))
        if row.status != "retraction":
            stated = row.confidence if row.stated_confidence is None else row.stated_confidence
            row = replace(
                row,
                status="active",
                valid_to=row.expires_at,
                closed_by=None,
                confidence=stated,
                stated_confidence=None,
            )
        told.append(row)
    return [*ends, *told]


def _taken(active: Mapping[Slot, Fact], claim: Fact) -> list[Slot]:
    """Return the slots that a retraction empties.

    What is so for good shares its slot with what is so for a while: what a person names goes alone.
    """
    gone = [slot for slot, held in active.items() if _is_retracted(held, claim)]
    named = [slot for slot in gone if is_meant(claim.key, claim.value, active[slot].value)]
    return named or gone


def _is_retracted(held: Fact, claim: Fact) -> bool:
    if not claim.source_uid:
        return words_of(held.value) == words_of(claim.value)
    # A message's own statements outlive its retractions ("left my old job, I'm at Wise now").
    if held.source_uid == claim.source_uid:
        return False
    # Whatever an older message turns out to say in place of what a person took back goes with it.
    is_whole = slot_of(claim.key, claim.value) == slot_of(held.key, held.value)
    return (is_by_hand(claim.source_uid) and is_whole) or is_meant(
        claim.key, claim.value, held.value
    )


def _is_better(claim: Fact, held: Fact) -> bool:
    """Tell whether the second name of one thing is to be kept: a person's own, or a fuller one."""
    if is_by_hand(claim.source_uid):
        return claim.value != held.value
    return is_fuller(claim.key, claim.value, held.value)


def _closed(held: Fact, by: Fact) -> Fact:
    # What is taken back as wrong never was: it ends when it was told.
    since = by.expires_at if by.status == "retraction" and by.expires_at else by.valid_from
    ended = min(filter(None, (max(since, held.valid_from), held.expires_at)))
    return replace(held, status="closed", valid_to=ended, closed_by=by.source_uid or None)


def _raised(held: Fact, confidence: float) -> Fact:
    if confidence <= held.confidence:
        return held
    stated = held.confidence if held.stated_confidence is None else held.stated_confidence
    return replace(held, confidence=confidence, stated_confidence=stated)
