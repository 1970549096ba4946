"""Postgres against a plain dict: the same messages leave the same facts."""

from __future__ import annotations

import asyncio
from uuid import uuid4

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.domain.facts import ContactObservations, Fact, Observation
from memory.facts.supersession import plan
from memory.postgres.facts import PostgresFactStore
from memory.postgres.pool import open_pool
from tests.contract.facts.contract import T0, said

_SAYINGS = st.tuples(
    st.sampled_from(["c1", "c2"]),
    st.lists(
        st.tuples(
            st.sampled_from(["home", "pet", "diet"]),
            st.sampled_from(["vegan", "Rex", "vegetarian"]),
            st.integers(0, 9),
            st.sampled_from([0.3, 0.6, 0.95]),
            st.booleans(),
        ),
        max_size=3,
    ),
)


def _model(batches: list[ContactObservations]) -> dict[str, Fact]:
    rows: dict[str, Fact] = {}
    for batch in batches:
        known = [fact for fact in rows.values() if fact.contact_id == batch.contact_id]
        outcome = plan("t", batch.contact_id, known, [batch.observations], T0)
        rows |= {fact.fact_id: fact for fact in (*outcome.inserted, *outcome.changed)}
    return {key: fact for key, fact in rows.items() if fact.status != "retraction"}


def _essence(facts: list[Fact]) -> list[tuple[object, ...]]:
    return sorted(
        (
            f.contact_id,
            f.key,
            f.value,
            f.confidence,
            f.source_uid,
            f.status,
            f.valid_from,
            str(f.valid_to),
            f.closed_by or "",
        )
        for f in facts
    )


async def _stored(url: str, batches: list[ContactObservations], split: int) -> list[Fact]:
    tenant = f"t-{uuid4()}"
    async with open_pool(url) as pool:
        store = PostgresFactStore(pool)
        await store.apply_many(tenant, batches[:split], T0)
        for batch in batches[split:]:
            await store.apply(tenant, batch.contact_id, batch.observations, T0)
        return [*await store.history(tenant, "c1"), *await store.history(tenant, "c2")]


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(_SAYINGS, max_size=8), st.integers(0, 8))
def test_postgres_keeps_what_a_dict_would(
    postgres_url: str,
    sayings: list[tuple[str, list[tuple[str, str, int, float, bool]]]],
    split: int,
) -> None:
    batches = [
        ContactObservations(
            contact,
            tuple(
                _said(key, value, at, sure, gone, f"m{n}") for key, value, at, sure, gone in seen
            ),
        )
        for n, (contact, seen) in enumerate(sayings)
    ]
    stored = asyncio.run(_stored(postgres_url, batches, split))
    assert _essence(stored) == _essence(list(_model(batches).values()))


def _said(key: str, value: str, at: int, sure: float, gone: bool, source: str) -> Observation:
    return said(key, value, at, sure, retracts=gone, source=source)
