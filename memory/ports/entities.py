"""Ports of people and things: the claims that messages make of them, and what they come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from memory.domain.entities import Entity
from memory.domain.readings import ThirdPartyClaim


class Claims(Protocol):
    """What messages say of others, kept with the ledger and erased with the message."""

    async def keep(self, tenant: str, told: Mapping[str, Sequence[ThirdPartyClaim]]) -> None:
        """Let messages, by uid, claim this and nothing else; the entities of who told it are owed.

        Of a message that the ledger does not have, nothing is kept.
        """
        ...

    async def of(
        self, tenant: str, contact_id: str, latest: int | None = None
    ) -> list[ThirdPartyClaim]:
        """Return what a contact's messages claim now, by time; all of it, or so many.

        Nothing that is withheld or gone; the anchor is the one that a message has now.
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
