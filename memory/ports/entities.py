"""Ports of people and things: the claims that messages make of them, and what they come to."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from memory.domain.entities import Entity
from memory.domain.readings import Kinds, ThirdPartyClaim, ToldOf


class Claims(Protocol):
    """What messages say of others, and of what kinds of thing: with the ledger, gone with them."""

    async def keep(
        self,
        tenant: str,
        told: Mapping[str, Sequence[ThirdPartyClaim]],
        kinds: Mapping[str, Kinds] = MappingProxyType({}),
    ) -> None:
        """Let messages, by uid, claim this and nothing else; the entities of who told it are owed.

        Those of `kinds` tell of these and no others; chances are kept to the hundredth. Of a
        message that the ledger does not have, nothing is kept.
        """
        ...

    async def kinds_of(self, tenant: str, contact_id: str) -> dict[str, Kinds]:
        """Return what a contact's messages tell of, by uid; nothing of those without any."""
        ...

    async def of(
        self,
        tenant: str,
        contact_id: str,
        latest: int | None = None,
        holders: Collection[str] | None = None,
    ) -> list[ThirdPartyClaim]:
        """Return what a contact's messages claim now, by time; all of it, or so many.

        Nothing that is withheld or gone; the anchor is the one that a message has now. `holders`:
        of those the claims of these alone, as they are told.
        """
        ...

    async def named(
        self, tenant: str, contact_id: str, latest: int, anchor: str = ""
    ) -> list[ToldOf]:
        """Return of whom the latest claims tell and what names they give, each pair once.

        `anchor`: of what was said there alone; empty: of everything.
        """
        ...

    async def contacts(self, tenant: str) -> list[str]:
        """Return the contacts whose messages claim anything, sorted."""
        ...


class EntityStore(Protocol):
    """Entities of contacts, made of facts and claims. Two backends, one contract."""

    async def of(self, tenant: str, contact_id: str) -> list[Entity]:
        """Return a contact's entities, in the order in which they were stored."""
        ...

    async def replace(self, tenant: str, contact_id: str, entities: Sequence[Entity]) -> None:
        """Let a contact have these entities and no others, in one transaction.

        What a claim names as its object is among them.
        """
        ...

    async def contacts(self, tenant: str) -> list[str]:
        """Return the contacts who have any, sorted."""
        ...
