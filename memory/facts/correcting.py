"""Corrections by people: what they state or take back by hand outranks what was read (L3).

It is kept with the ledger first, so that a fact store made anew is corrected again. Done a second
time by the same message, it changes nothing and returns the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from memory.domain.chats import Message, is_uid
from memory.domain.facts import APART, BY_PERSON, Fact, Observation
from memory.domain.projections import CONTACT, FOLLOW_FACTS, TOLD
from memory.errors import Transient
from memory.facts.predicates import Predicate
from memory.facts.slots import is_same
from memory.ports.bundle import Memory

EVERYTHING: Final = "everything"

_TOLD: Final = frozenset({"active", "closed", "repeated"})
_LATER: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Hand:
    """A message by which a person corrects facts, of whom, and when it is carried out."""

    message: Message
    contact_id: str
    at: datetime
    effect: str = "command"

    @property
    def tenant(self) -> str:
        """Whose memory it is."""
        return self.message.chat.tenant

    @property
    def source_uid(self) -> str:
        """Name what the message did apart from it: deleting a command undoes nothing."""
        return f"{self.message.uid}{APART}{self.effect}"


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What was taken back, and the messages that tell it.

    `withheld`: their uids, out of every prompt and search from now on. `kept`: those that tell
    other things, too, which would be forgotten with them.
    """

    facts: tuple[Observation, ...]
    withheld: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


def taken_back_to_json(taken: TakenBack) -> dict[str, Any]:  # Any: a JSON object
    """Return what was taken back as a JSON object."""
    return {
        "forgotten": [{"key": each.key, "value": each.value} for each in taken.facts],
        "withheld": list(taken.withheld),
        "kept": list(taken.kept),
    }


def holding(facts: Sequence[Fact], words: str) -> list[Fact]:
    """Return the facts that words name: `everything`, a key, or words in key and value."""
    wanted = words.casefold().split()
    if wanted == [EVERYTHING]:
        return list(facts)
    of_key = [fact for fact in facts if fact.key == "_".join(wanted)]
    return of_key or [
        fact
        for fact in facts
        if all(word in f"{fact.key} {fact.value}".casefold() for word in wanted)
    ]


def valued(facts: Sequence[Fact], key: str, value: str) -> list[Fact]:
    """Return the facts of a key that have a value; of any value where it is empty."""
    return [
        fact for fact in facts if fact.key == key and (not value or is_same(key, fact.value, value))
    ]


async def state(
    memory: Memory, by: Hand, known: Predicate, value: str, instead: Sequence[Fact] = ()
) -> list[Fact]:
    """Let a contact have a value from now on, in place of others; return what the key holds then.

    Where a key holds one value, that is superseded in any case.
    """
    facts = await memory.facts.active(by.tenant, by.contact_id)
    at = _after([fact for fact in facts if fact.key == known.key], by.at)
    gone = [_retraction(each, by, at) for each in instead]
    stated = Observation(
        category=known.category,
        key=known.key,
        value=value,
        confidence=1.0,
        importance=known.importance,
        source_uid=by.source_uid,
        stated_at=at,
        anchor=by.message.anchor,
        read_by=BY_PERSON,
    )
    await _carry_out(memory, by, [*gone, stated])
    return valued(await memory.facts.active(by.tenant, by.contact_id), known.key, "")


async def take_back(memory: Memory, by: Hand, facts: Sequence[Fact]) -> TakenBack:
    """Forget facts, and keep the messages that tell nothing else out of prompts and searches."""
    # With what a first try noted that was cut off.
    taken_back = [_retraction(each, by, _after([each], by.at)) for each in facts]
    noted = await _carry_out(memory, by, taken_back)
    if not noted:
        return TakenBack(())
    history = await memory.facts.history(by.tenant, by.contact_id)
    corrected = await memory.corrections.of(by.tenant, by.contact_id)
    by_hand = {each.source_uid for each in corrected if each.retracts}
    telling, counting = set(), set()
    for row in history:
        if any(row.key == each.key and is_same(row.key, row.value, each.value) for each in noted):
            telling.add(row.source_uid)
        elif row.status in _TOLD and row.closed_by not in by_hand:
            counting.add(row.source_uid)
    telling = set(filter(is_uid, telling))
    withheld = sorted(telling - counting)
    if withheld:
        await memory.ledger.withhold(by.tenant, withheld)
    return TakenBack(tuple(noted), tuple(withheld), tuple(sorted(telling & counting)))


async def _carry_out(
    memory: Memory, by: Hand, corrected: Sequence[Observation]
) -> list[Observation]:
    """Keep corrections and apply them; return all that this message corrects."""
    await memory.corrections.keep(by.tenant, corrected)
    kept = await memory.corrections.of(by.tenant, by.contact_id)
    noted = [each for each in kept if each.source_uid == by.source_uid]
    if not noted:
        return []
    contact = [CONTACT + by.contact_id]
    try:
        await memory.facts.apply(by.tenant, by.contact_id, noted, by.at)
    except Transient:
        await memory.backlog.owe(by.tenant, ["facts"], contact)
        raise
    await memory.backlog.owe(by.tenant, FOLLOW_FACTS, contact)
    await memory.backlog.owe(by.tenant, ("contact_states",), [TOLD + by.contact_id])
    return noted


def _after(facts: Sequence[Fact], at: datetime) -> datetime:
    """Return a time after which nothing was stated: a clock ahead of ours may have told a fact."""
    return max([at, *(fact.valid_from + _LATER for fact in facts)])


def _retraction(fact: Fact, by: Hand, at: datetime) -> Observation:
    taken_back = fact.retraction(by.source_uid, at)
    return replace(taken_back, anchor=by.message.anchor, read_by=BY_PERSON)
