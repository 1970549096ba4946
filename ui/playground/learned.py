"""What was learned from each message of a contact, the latest first, and what keeps one out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from memory.domain.chats import Actor, StoredMessage
from memory.facts.corrector import NEVER
from memory.policy.keeping import Rule
from memory.ports.bundle import Memory
from ui.playground.known import Told, read_known

PAGE: Final = 40
"""So many lines of the transcript, of both sides, are looked through for a page."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A message and the facts read from it.

    `act`: what keeps it from being recalled, if any; `kept_out`: the rules that kept out what it
    says, or a part of that.
    """

    said: StoredMessage
    holds: tuple[Told, ...] = ()
    past: tuple[Told, ...] = ()
    act: str = ""
    kept_out: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class Lessons:
    """A page of them, the latest first; `before` is where an earlier page begins, 0 for none."""

    told: tuple[Lesson, ...] = ()
    before: int = 0


async def read_lessons(memory: Memory, tenant: str, contact_id: str, before: int) -> Lessons:
    """Return what was learned from a page of a contact's messages before a `seq`; 0: the latest."""
    lines = await memory.ledger.page(tenant, contact_id, before or None, PAGE)
    known = await read_known(memory, tenant, contact_id)
    uids = [each.uid for each in lines]
    acts = await memory.corrections.kept_out(tenant, uids)
    rules = await memory.rules.noted(tenant, uids)
    holds = _by_source([kept.now for kept in known.facts])
    past = _by_source([*known.past, *(told for kept in known.facts for told in kept.before)])
    told = [
        Lesson(
            stored,
            tuple(holds[stored.uid]),
            tuple(past[stored.uid]),
            next((act for act in acts.get(stored.uid, ()) if act.endswith(NEVER)), ""),
            tuple(rules.get(stored.uid, ())),
        )
        for stored in reversed(lines)
        if stored.message.actor is Actor.CONTACT and not stored.message.is_command
    ]
    more = lines[0].seq if len(lines) == PAGE else 0
    return Lessons(tuple(told), more)


def _by_source(told: Sequence[Told]) -> defaultdict[str, list[Told]]:
    by_source: defaultdict[str, list[Told]] = defaultdict(list)
    for each in told:
        by_source[each.fact.source_uid].append(each)
    return by_source
