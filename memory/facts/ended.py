"""What is known of somebody, with what has ended, but for what was forgotten by hand."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from memory.domain.facts import Fact, Observation
from memory.facts.asof import ever_told
from memory.facts.slots import is_same, slot_of
from memory.ports.bundle import Memory

_BEFORE: Final = timedelta(microseconds=1)


class EverKnown(NamedTuple):
    """What holds, and what has ended and was not forgotten, each as its store orders it."""

    held: list[Fact]
    ended: list[Fact]

    @property
    def all(self) -> list[Fact]:
        """What holds, then what has ended."""
        return [*self.held, *self.ended]

    def said_in(self, anchor: str) -> EverKnown:
        """Return as much of it as was said in one place."""
        held, ended = ([fact for fact in each if fact.anchor == anchor] for each in self)
        return EverKnown(held, ended)

    def with_earlier(self, facts: Sequence[Fact]) -> list[Fact]:
        """Return facts, and those that have ended of a slot in which one of them holds."""
        ids = {fact.fact_id for fact in facts}
        ended = {fact.fact_id for fact in self.ended}
        slots = {slot_of(fact.key, fact.value) for fact in facts if fact.fact_id not in ended}
        return [
            *facts,
            *(
                fact
                for fact in self.ended
                if fact.fact_id not in ids and slot_of(fact.key, fact.value) in slots
            ),
        ]


async def ever_known(
    memory: Memory, tenant: str, contact_id: str, *, withheld: bool = True
) -> EverKnown:
    """Return what is known of a contact. `withheld`: with what is never to be recalled."""
    store = memory.all_facts if withheld else memory.facts
    held, history, corrected = await asyncio.gather(
        store.active(tenant, contact_id),
        store.history(tenant, contact_id),
        memory.corrections.of(tenant, contact_id),
    )
    ids = {fact.fact_id for fact in held}
    told = ever_told(without_taken_back(history, corrected))
    ended = [
        fact
        for fact in told
        if fact.fact_id not in ids
        and not any(
            each.key == fact.key and is_same(fact.key, each.value, fact.value) for each in held
        )
    ]
    return EverKnown(held, ended)


def without_taken_back(history: Sequence[Fact], corrected: Sequence[Observation]) -> list[Fact]:
    """Return a history without what a person took back, nor what said it before that.

    `corrected`: what people corrected by hand. What is said anew afterwards stays.
    """
    taken: defaultdict[str, list[Observation]] = defaultdict(list)
    for each in corrected:
        if each.retracts:
            taken[each.key].append(each)

    def is_gone(row: Fact) -> bool:
        if row.status not in ("closed", "repeated"):
            return False
        told = last_held(row) if row.status == "closed" else row.valid_from
        return any(
            told <= each.stated_at and is_same(row.key, row.value, each.value)
            for each in taken[row.key]
        )

    return [row for row in history if not is_gone(row)]


def last_held(ended: Fact) -> datetime:
    """Return the last moment at which what has ended held; of a mistake, one before it was told.

    What is taken back as of then ends nothing else: what came in its place was told later.
    """
    return (ended.valid_to or ended.valid_from) - _BEFORE
