"""The fact contract on Postgres."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest

from memory.postgres import facts
from memory.postgres.facts import PostgresFactStore
from memory.postgres.pool import Pool, open_pool
from tests.benchmarks.statements import counted
from tests.contract.facts.backend import ALEX, T0, Backend, StoppedClock, said, tell, values
from tests.contract.facts.contract import FactStoreContract


class TestPostgres(FactStoreContract):
    """Facts in Postgres tables."""

    @pytest.fixture
    async def backend(self, facts_pool: Pool, postgres_url: str) -> AsyncIterator[Backend]:
        async def count(tenant: str, contact_id: str) -> int:
            async with facts_pool.connection() as connection:
                cursor = await connection.execute(
                    "select count(*) as n from facts where tenant = %s and contact_id = %s",
                    [tenant, contact_id],
                )
                row = await cursor.fetchone()
                return int(row["n"]) if row else 0

        async with open_pool(postgres_url) as beside:
            clock = StoppedClock()
            stores = PostgresFactStore(facts_pool, clock), PostgresFactStore(beside, clock)
            yield Backend(*stores, f"t-{uuid4()}", count, clock)

    async def test_what_others_wrote_meanwhile_is_planned_anew(
        self, backend: Backend, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write, written = facts._is_written, list[bool]()

        async def late(*given: Any) -> bool:
            monkeypatch.setattr(facts, "_is_written", write)
            await backend.beside.apply(backend.tenant, ALEX, [said("home", "Leeds")], T0)
            written.append(await write(*given))
            return written[-1]

        monkeypatch.setattr(facts, "_is_written", late)
        assert await tell(backend, said("home", "Bristol", 1)) == ["Bristol"]
        assert written == [False]
        assert await values(backend, "home") == ["Bristol"]
        told = await backend.store.history(backend.tenant, ALEX)
        assert [(fact.value, fact.status) for fact in told] == [
            ("Leeds", "closed"),
            ("Bristol", "active"),
        ]

    async def test_facts_are_written_in_two_statements_and_known_ones_in_none(
        self, backend: Backend
    ) -> None:
        observed, sent = said("home", "Leeds"), list[str]()
        for statements in (2, 3):
            with counted(sent.append):
                await tell(backend, observed)
            # A connection that lay idle is asked first whether it lives, by an empty one.
            assert len([each for each in sent if each]) == statements
