"""A contact's facts brought in line with the ledger as a whole (X4)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing

from memory.domain.chats import is_uid
from memory.domain.facts import APART, Fact
from memory.facts.learning import read_stored
from memory.facts.replay import Told, replay, taken_back
from memory.ports.bundle import Memory


async def renew_facts(memory: Memory, tenant: str, contact_id: str) -> bool:
    """Let the fact store hold what a contact's messages tell; return whether it held anything else.

    What is learned meanwhile makes it look again.
    """
    while True:
        rows = await memory.facts.rows(tenant, contact_id)
        after = await expected_rows(memory, tenant, contact_id, rows)
        if after == rows:
            return False
        if await memory.facts.replace(tenant, contact_id, rows, after):
            return True


async def expected_rows(
    memory: Memory, tenant: str, contact_id: str, rows: Sequence[Fact]
) -> list[Fact]:
    """Return the rows that a contact should have, where it has `rows`; see `replay`."""
    # A store may have been filled before they were kept with the ledger.
    await memory.corrections.keep(tenant, taken_back(rows))
    told: list[Told] = []
    async with aclosing(memory.contents.said_by(tenant, contact_id)) as pages:
        async for page in pages:
            said = [stored.message for stored in page]
            read = await read_stored(memory.reader, memory.ledger, tenant, said, again=True)
            told += [
                Told(reading.observations, stored.arrived_at)
                for reading, stored in zip(read, page, strict=True)
                if reading.observations
            ]
    corrected = await memory.corrections.of(tenant, contact_id)
    held = await _still_theirs(memory, tenant, contact_id, rows)
    return replay(tenant, contact_id, held, told, corrected)


async def _still_theirs(
    memory: Memory, tenant: str, contact_id: str, rows: Sequence[Fact]
) -> list[Fact]:
    """Return the rows whose messages the ledger has, as this contact's; the others are to go."""
    sources = {row.source_uid.partition(APART)[0] for row in rows}
    known = await memory.ledger.messages(tenant, sorted(filter(is_uid, sources)))
    theirs = {stored.uid for stored in known if stored.message.contact_id == contact_id}
    return [row for row in rows if row.source_uid.partition(APART)[0] in theirs]
