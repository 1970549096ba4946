"""What every entity store does, whatever it is made of."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pytest

from memory.domain.entities import NAMED, Entity
from memory.domain.readings import ThirdPartyClaim
from memory.facts.entities.linking import entities_of
from memory.ports.entities import EntityStore
from tests.unit.memory.facts.entities.building import claim, facts

ANA, BO = "web:ana", "web:bo"
LITTLE = entities_of("t", facts(("home", "Leeds", 3)), [claim("son", "age", "7", 4)])


@dataclass(frozen=True)
class Backend:
    """A store, a tenant of its own, and a count of stored entities that bypasses the store."""

    store: EntityStore
    tenant: str
    count_stored: Callable[[str, str], Awaitable[int]]


def life_of_ana(*further: ThirdPartyClaim) -> list[Entity]:
    known = facts(("spouse", "Priya", 1), ("pet", "Bruno", 2), ("home", "Leeds", 3))
    known += facts(("employer", "Acme", 4), ("employer", "-Acme", 5), ("possession", "a boat", 6))
    return entities_of(
        "t",
        known,
        [
            claim("wife", NAMED, "Priya", 1),
            claim("dog", NAMED, "Bruno", 2),
            claim("Priya", "employer", "Acme", 7),
            claim("Priya", "employer", "Initech", 8),
            claim("wife", "allergy", "nuts", 9),
            claim("cousin", "spouse", 'Zoë "O\'Neil" 🦊', 10),
            claim("boss", "age", "50", 11),
            *further,
        ],
    )


@pytest.mark.anyio
class EntityStoreContract:
    """Subclasses give the fixture `backend`."""

    async def test_entities_come_back_as_they_were_stored(self, backend: Backend) -> None:
        life = life_of_ana()
        assert {entity.type for entity in life} == {
            "person", "pet", "place", "organisation", "thing",
        }  # fmt: skip
        await backend.store.replace(backend.tenant, ANA, life)
        assert await backend.store.of(backend.tenant, ANA) == life
        assert await backend.count_stored(backend.tenant, ANA) == len(life)

    async def test_what_replaces_them_leaves_nothing_of_them(self, backend: Backend) -> None:
        await backend.store.replace(backend.tenant, ANA, life_of_ana())
        for life in (
            life_of_ana(claim("boss", "home", "York", 12)),
            LITTLE,
            life_of_ana(),
        ):
            await backend.store.replace(backend.tenant, ANA, life)
            await backend.store.replace(backend.tenant, ANA, life)
            assert await backend.store.of(backend.tenant, ANA) == life
            assert await backend.count_stored(backend.tenant, ANA) == len(life)

    async def test_contacts_and_tenants_have_their_own(self, backend: Backend) -> None:
        store, other = backend.store, f"{backend.tenant}-other"
        await store.replace(backend.tenant, ANA, life_of_ana())
        await store.replace(backend.tenant, BO, LITTLE)
        await store.replace(other, BO, life_of_ana())
        assert await store.contacts(backend.tenant) == [ANA, BO]
        assert await store.of(backend.tenant, BO) == LITTLE
        await store.replace(backend.tenant, ANA, [])
        assert await store.of(backend.tenant, ANA) == []
        assert await store.contacts(backend.tenant) == [BO]
        assert await store.of(other, BO) == life_of_ana()
        await store.replace(other, BO, [])

    async def test_of_two_at_once_one_remains_whole(self, backend: Backend) -> None:
        lives = [life_of_ana(claim("boss", "home", f"Town {n}", 12 + n)) for n in range(6)]
        await asyncio.gather(*(backend.store.replace(backend.tenant, ANA, life) for life in lives))
        assert await backend.store.of(backend.tenant, ANA) in lives

    async def test_many_entities_and_long_values(self, backend: Backend) -> None:
        told = [claim(f"Name{n}", "medical", "x" * 200, n) for n in range(300)]
        life = entities_of("t", [], told)
        await backend.store.replace(backend.tenant, ANA, life)
        assert await backend.store.of(backend.tenant, ANA) == life
