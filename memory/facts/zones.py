"""In which time zone contacts live, as their facts tell, and the ends of facts that follow from it.

"Until Friday" is over at midnight where whoever says it lives.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Final

from typing_extensions import override

from memory.domain.facts import Fact, Observation
from memory.domain.projections import CONTACT
from memory.domain.readings import Heard, Reading
from memory.facts.expiry import may_end
from memory.ports.bundle import Memory
from memory.ports.facts import FactStore
from memory.ports.reading import FactReader
from memory.text.zones import zone_of

TIMEZONE: Final = "timezone"


def zone_told(facts: Iterable[Fact]) -> str:
    """Return the time zone that active facts tell, as they name it; empty where none is known."""
    told = (fact.value for fact in facts if fact.key == TIMEZONE and fact.status == "active")
    return next((value for value in told if zone_of(value)), "")


@dataclass(frozen=True, slots=True)
class ZonedReader(FactReader):
    """Has messages that may name an end read by the clock of who sent them.

    `zone`: that of people of whom no fact tells theirs.
    """

    reader: FactReader
    facts: FactStore
    zone: tzinfo

    @property
    @override
    def version(self) -> str:
        return self.reader.version

    @override
    async def read(self, messages: Sequence[Heard]) -> list[Reading]:
        return await self.reader.read(await self._zoned(messages))

    @override
    async def reread(self, messages: Sequence[Heard]) -> list[Reading]:
        return await self.reader.reread(await self._zoned(messages))

    @override
    async def close(self) -> None:
        await self.reader.close()

    async def _zoned(self, messages: Sequence[Heard]) -> list[Heard]:
        zones: dict[tuple[str, str], tzinfo] = {}
        zoned = []
        for heard in messages:
            if not any(map(may_end, heard.texts)):
                zoned.append(heard)
                continue
            whose = heard.message.chat.tenant, heard.message.contact_id
            if whose not in zones:
                zones[whose] = zone_of(zone_told(await self.facts.active(*whose))) or self.zone
            zoned.append(replace(heard, zone=zones[whose]))
        return zoned


async def owe_ends(
    memory: Memory, tenant: str, changed: Collection[tuple[str, Fact | Observation]]
) -> None:
    """Have contacts read again of whom it changed where they live, if any fact of theirs ends.

    `changed`: facts that came or went, each with its contact.
    """
    moved = sorted({contact for contact, fact in changed if fact.key == TIMEZONE})
    for contact in moved:
        history = await memory.all_facts.history(tenant, contact)
        if any(fact.expires_at for fact in history):
            await memory.backlog.owe(tenant, ["facts"], [CONTACT + contact])
