"""Facts without a server: the product's own rules of supersession over a list of rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from memory.domain.episodes import Episode
from memory.domain.facts import Applied, ContactObservations, Fact, Mark, Observation
from memory.domain.notes import Note
from memory.domain.readings import Kinds, ThirdPartyClaim, ToldOf
from memory.facts.supersession import Plan, by_contact, plan
from memory.policy.keeping import Rule


class MemoryCorrections:
    """What people corrected."""

    def __init__(self) -> None:
        self.kept: list[Observation] = []

    async def keep(self, tenant: str, corrected: Sequence[Observation]) -> None:
        self.kept += corrected

    async def of(self, tenant: str, contact_id: str) -> list[Observation]:
        return list(self.kept)


class NoMarks:
    """Nothing is marked."""

    async def of(self, tenant: str, contact_ids: Collection[str]) -> dict[str, list[Mark]]:
        return {}


class NoRules:
    """Everything is kept."""

    async def of(self, tenant: str) -> list[Rule]:
        return []

    async def note(self, tenant: str, kept_out: Mapping[str, Collection[int]]) -> None:
        return


class NoNotes:
    """Nobody has written anything by hand."""

    async def near(self, tenant: str, anchor: str, limit: int) -> list[Note]:
        return []

    async def every(self, tenant: str) -> list[Note]:
        return []


class NoEpisodes:
    """No chat was told of in few words."""

    async def over(self, tenant: str, uids: Collection[str]) -> list[Episode]:
        return []


class MemoryClaims:
    """What messages claim of others; all of it is one contact's."""

    def __init__(self) -> None:
        self.told: dict[str, list[ThirdPartyClaim]] = {}
        self.kinds: dict[str, Kinds] = {}

    async def keep(
        self,
        tenant: str,
        told: Mapping[str, Sequence[ThirdPartyClaim]],
        kinds: Mapping[str, Kinds] = MappingProxyType({}),
    ) -> None:
        self.told |= {uid: list(claims) for uid, claims in told.items()}
        self.kinds = {uid: each for uid, each in {**self.kinds, **kinds}.items() if each}

    async def kinds_of(self, tenant: str, contact_id: str) -> dict[str, Kinds]:
        return dict(self.kinds)

    async def of(
        self,
        tenant: str,
        contact_id: str,
        latest: int | None = None,
        holders: Collection[str] | None = None,
    ) -> list[ThirdPartyClaim]:
        told = [claim for claims in self.told.values() for claim in claims]
        return [claim for claim in told if holders is None or claim.holder in holders]

    async def named(
        self, tenant: str, contact_id: str, latest: int, anchor: str = ""
    ) -> list[ToldOf]:
        told = await self.of(tenant, contact_id)
        return [ToldOf(c.holder, c.value) for c in told if not anchor or c.anchor == anchor]


class MemoryFacts:
    """The part of `FactStore` that nodes use."""

    def __init__(self) -> None:
        self.rows: dict[str, Fact] = {}

    async def active(
        self, tenant: str, contact_id: str, told_by: Collection[str] = ()
    ) -> list[Fact]:
        rows = await self.history(tenant, contact_id)
        told = [f for f in rows if f.source_uid in told_by and f.status in ("closed", "repeated")]
        return sorted(
            [f for f in rows if f.status == "active" or f in told],
            key=lambda f: (-f.importance, f.valid_from),
        )

    async def history(
        self, tenant: str, contact_id: str, keys: Collection[str] | None = None
    ) -> list[Fact]:
        rows = [f for f in self._of(contact_id) if f.status != "retraction"]
        return [f for f in rows if keys is None or f.key in keys]

    async def holders(self, tenant: str, ids: Collection[str]) -> dict[str, str]:
        return {key: self.rows[key].contact_id for key in ids if key in self.rows}

    async def apply(
        self, tenant: str, contact_id: str, observations: Sequence[Observation], now: datetime
    ) -> Applied:
        return await self.apply_many(
            tenant, [ContactObservations(contact_id, tuple(observations))], now
        )

    async def apply_many(
        self, tenant: str, batches: Sequence[ContactObservations], now: datetime
    ) -> Applied:
        plans = [
            plan(tenant, contact, self._of(contact), said, now)
            for contact, said in by_contact(batches).items()
        ]
        outcome = Plan.joined(plans)
        self.rows |= {fact.fact_id: fact for fact in (*outcome.inserted, *outcome.changed)}
        return outcome.applied

    def _of(self, contact_id: str) -> list[Fact]:
        return [f for f in self.rows.values() if f.contact_id == contact_id]
