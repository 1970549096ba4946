"""Long sequences of what may happen to facts, on both stores against plain dicts."""

from __future__ import annotations

from asyncio import Runner

import pytest

from memory.neo4j.facts import open_neo4j
from memory.postgres.facts import PostgresFactStore
from memory.postgres.pool import open_pool
from tests.contract.facts.machine import run_machine
from tests.contract.facts.test_neo4j import neo4j_server

SHORT, LONG = (8, 25), (40, 50)
sizes = pytest.mark.parametrize(
    ("examples", "steps"), [SHORT, pytest.param(*LONG, marks=pytest.mark.slow)]
)


@sizes
def test_whatever_happens_postgres_holds_what_plain_dicts_do(
    postgres_url: str, examples: int, steps: int
) -> None:
    with Runner() as runner:
        pool = open_pool(postgres_url)
        try:
            run_machine(PostgresFactStore(runner.run(pool.__aenter__())), runner, examples, steps)
        finally:
            runner.run(pool.__aexit__(None, None, None))


@sizes
def test_whatever_happens_neo4j_holds_what_plain_dicts_do(examples: int, steps: int) -> None:
    with Runner() as runner:
        store = runner.run(open_neo4j(*neo4j_server()))
        try:
            run_machine(store, runner, examples, steps)
        finally:
            runner.run(store.close())
