"""A contact's facts, and claims of others, brought in line with the ledger as a whole (X4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import NamedTuple

from memory.domain.chats import StoredMessage, is_uid
from memory.domain.facts import APART, Fact
from memory.domain.readings import NO_KINDS, Kinds, Reading, ThirdPartyClaim
from memory.facts.entities.naming import claims_of
from memory.facts.learning import read_stored
from memory.facts.replay import Told, replay, taken_back
from memory.facts.unsaying import holds
from memory.facts.zones import zone_told
from memory.ports.bundle import Memory


async def renew_facts(memory: Memory, tenant: str, contact_id: str) -> bool:
    """Let the fact store hold what a contact's messages tell; return whether it held anything else.

    What is learned meanwhile makes it look again. So does another time zone, in which ends are
    read; once, since it may have an end itself.
    """
    moved = False
    while True:
        rows = await memory.facts.rows(tenant, contact_id)
        after, claims, kinds = await expected(memory, tenant, contact_id, rows)
        told_before = dict.fromkeys(of_messages(await memory.claims.of(tenant, contact_id)), ())
        of_before = dict.fromkeys(await memory.claims.kinds_of(tenant, contact_id), NO_KINDS)
        await memory.claims.keep(tenant, {**told_before, **claims}, {**of_before, **kinds})
        if after == rows:
            return moved
        if await memory.facts.replace(tenant, contact_id, rows, after):
            if moved or zone_told(rows) == zone_told(after):
                return True
            moved = True


class Expected(NamedTuple):
    """What a contact's messages tell: rows of facts; claims of others, and kinds, by message."""

    rows: list[Fact]
    claims: Mapping[str, Sequence[ThirdPartyClaim]]
    kinds: Mapping[str, Kinds]


class Beside(NamedTuple):
    """What one message tells beside facts: what it claims of others, and of what kinds."""

    claims: tuple[ThirdPartyClaim, ...]
    kinds: Kinds = NO_KINDS


async def expected(memory: Memory, tenant: str, contact_id: str, rows: Sequence[Fact]) -> Expected:
    """Return what a contact should have, where it has `rows`; see `replay`."""
    # A store may have been filled before they were kept with the ledger.
    await memory.corrections.keep(tenant, taken_back(rows))
    told: list[Told] = []
    claims: list[ThirdPartyClaim] = []
    kinds: dict[str, Kinds] = {}
    async with aclosing(memory.contents.said_by(tenant, contact_id)) as pages:
        async for page in pages:
            said = [stored.in_full for stored in page]
            read = await read_stored(memory.reader, memory.ledger, tenant, said, again=True)
            told += [
                Told(reading.observations, stored.arrived_at)
                for reading, stored in zip(read, page, strict=True)
                if reading.observations
            ]
            for each, reading in zip(page, read, strict=True):
                heard = still_told(each, reading)
                claims += heard.claims
                kinds |= {each.uid: heard.kinds} if heard.kinds else {}
    corrected = await memory.corrections.of(tenant, contact_id)
    held = await _still_theirs(memory, tenant, contact_id, rows)
    rows_after = replay(tenant, contact_id, held, told, corrected)
    return Expected(rows_after, of_messages(claims), kinds)


def still_told(stored: StoredMessage, reading: Reading) -> Beside:
    """Return what a message tells beside facts; of what was forgotten of it, nothing."""
    claims = claims_of(stored.in_full, reading)
    if stored.said is None:
        return Beside(claims, reading.kinds)
    text = stored.message.text
    return Beside(tuple(c for c in claims if holds(text, c.holder) and holds(text, c.value)))


def of_messages(claims: Sequence[ThirdPartyClaim]) -> dict[str, list[ThirdPartyClaim]]:
    """Return claims by the messages that make them."""
    by_message: dict[str, list[ThirdPartyClaim]] = {}
    for claim in claims:
        by_message.setdefault(claim.source_uid, []).append(claim)
    return by_message


async def _still_theirs(
    memory: Memory, tenant: str, contact_id: str, rows: Sequence[Fact]
) -> list[Fact]:
    """Return the rows whose messages the ledger has, as this contact's; the others are to go."""
    sources = {row.source_uid.partition(APART)[0] for row in rows}
    known = await memory.ledger.messages(tenant, sorted(filter(is_uid, sources)))
    theirs = {stored.uid for stored in known if stored.message.contact_id == contact_id}
    return [row for row in rows if row.source_uid.partition(APART)[0] in theirs]
