"""What is remembered of a contact, put together for a page: facts, their messages, history."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from memory.domain.chats import StoredMessage, is_uid
from memory.domain.facts import APART, Fact, is_by_hand
from memory.facts.slots import Slot, is_same, slot_of
from memory.ports.bundle import Memory

Forgotten = Mapping[tuple[str, str], str]
"""What a person forgot by hand, by key and value: the act, which can be undone."""


@dataclass(frozen=True, slots=True)
class Told:
    """A statement, the message that tells it, and why it holds no more; empty where it does.

    `said` is None where no message tells it: a person wrote it by hand, or the message is gone.
    `act`: what a person did that ended it, and can undo; empty where nobody did.
    """

    fact: Fact
    said: StoredMessage | None = None
    why: str = ""
    act: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """A fact that holds, and what was said of the same before or beside it, newest first."""

    now: Told
    before: tuple[Told, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """The facts of a contact, most important first, and what holds no more, newest first."""

    facts: tuple[Kept, ...] = ()
    past: tuple[Told, ...] = ()


async def read_known(memory: Memory, tenant: str, contact_id: str) -> Known:
    """Return all facts of a contact with their messages."""
    active = await memory.all_facts.active(tenant, contact_id)
    history = await memory.all_facts.history(tenant, contact_id)
    corrected = await memory.corrections.of(tenant, contact_id)
    uids = {row.source_uid.partition(APART)[0] for row in (*active, *history)}
    stored = await memory.ledger.messages(tenant, sorted(filter(is_uid, uids)))
    # What takes back one value and states another at once corrects it.
    stating = {each.source_uid for each in corrected if not each.retracts}
    forgotten = {
        (each.key, each.value): each.source_uid
        for each in corrected
        if each.retracts and each.source_uid not in stating
    }
    said = {each.uid: each for each in stored}
    return known_of(active, history, said, forgotten, {each.source_uid for each in corrected})


def known_of(
    active: Sequence[Fact],
    history: Sequence[Fact],
    said: Mapping[str, StoredMessage],
    forgotten: Forgotten | None = None,
    acts: Collection[str] = (),
) -> Known:
    """Put facts together with their history and the messages, by uid, that told them. Pure.

    `acts`: the corrections by hand that count, and can be undone.
    """
    gone = forgotten or {}
    of_slot: defaultdict[Slot, list[Fact]] = defaultdict(list)
    holds = {fact.fact_id for fact in active}
    for row in history:
        if row.fact_id not in holds:
            of_slot[slot_of(row.key, row.value)].append(row)

    def told(rows: Sequence[Fact]) -> tuple[Told, ...]:
        newest = sorted(rows, key=lambda row: row.valid_from, reverse=True)
        return tuple(
            Told(
                row,
                said.get(row.source_uid),
                why_ended(row, history, gone),
                _act(row, gone) or (row.closed_by if row.closed_by in acts else None) or "",
            )
            for row in newest
        )

    facts = [
        Kept(
            Told(fact, said.get(fact.source_uid)),
            told(of_slot.pop(slot_of(fact.key, fact.value), [])),
        )
        for fact in active
    ]
    rest = [row for rows in of_slot.values() for row in rows]
    return Known(tuple(facts), told([row for row in rest if row.status in ("closed", "withdrawn")]))


def _act(row: Fact, forgotten: Forgotten) -> str:
    return next(
        (
            act
            for (key, value), act in forgotten.items()
            if key == row.key and is_same(key, row.value, value)
        ),
        "",
    )


def why_ended(row: Fact, history: Sequence[Fact], forgotten: Forgotten | None = None) -> str:
    """Return in words why a statement holds no more, or never did."""
    if row.status == "rejected":
        return "something surer was known"
    if row.status == "repeated":
        return "said again"
    if _act(row, forgotten or {}):
        return "forgotten by hand"
    if row.status == "withdrawn":
        return "its message says so no more"
    instead = next(
        (each for each in history if each.source_uid == row.closed_by and each.key == row.key), None
    )
    if row.closed_by and is_by_hand(row.closed_by):
        return f"corrected by hand to “{instead.value}”" if instead else "forgotten by hand"
    if instead is not None:
        return f"“{instead.value}” was said later"
    if row.closed_by:
        return "taken back in a message"
    return "over by itself" if row.expires_at else "ended"
