"""How long `GET /context` takes: `python -m tests.benchmarks.contacts [--contacts N] [--neo4j]`.

A tenant with 10,000 contacts of 50 facts each, two messages and three people; sixty of them have
written thirty messages over two months, through the product's own import. These are asked about,
one request after the other, each with a question of its own. Prints a row of the table in
`docs/measurements/contacts.md`: p50, p95 and the longest by the clock, and what a request takes of
the processor: this process, Postgres, Chroma.

`--neo4j` keeps facts on the server that `RECOLLECT_TEST_NEO4J_URI` names, and takes them off it at
the end. What that server itself uses is not in the row.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import NAMESPACE_OID, uuid5

import httpx
import numpy as np

from evals.latency.processor import processor_time
from graph.settings import Settings
from graph.stores import Stores
from memory.domain.chats import Actor, ChatRef, Message
from memory.domain.recalls import VectorItem
from memory.projection.importing import import_batches
from server.app import create_app
from server.service import Service
from tests.benchmarks.many_facts import FACTS, clear_neo4j, fill_neo4j, fill_postgres
from tests.integration.conftest import on_neo4j

TENANT = "ten-thousand"
ASKED = 60
SAID = 30
WARM_UP = 40
REQUESTS = 400
WHO = ("Nora", "Otis", "the plumber", "my sister", "Mr Okafor", "grandma", "the new teacher")
DID = ("rang about", "forgot", "mended", "wants to see", "lost", "laughed at", "dropped off")
WHAT = ("the ladder", "the spare keys", "a jar of honey", "the old film", "my bike", "the rota")
ASKING = ("Who {} {}?", "When was it that somebody {} {}?", "What do you know of who {} {}?")


def contact(number: int) -> str:
    """Return a contact's id by its number."""
    return f"crm:{number}"


def history(number: int, now: datetime) -> list[Message]:
    """Return what one contact wrote, a message every other day."""
    draw = random.Random(number)
    chat = ChatRef(TENANT, "api", "ingest", f"t-{number}")
    return [
        Message(
            chat=chat,
            message_id=f"m{n}",
            actor=Actor.CONTACT,
            sender_id=contact(number),
            contact_id=contact(number),
            text=" ".join(map(draw.choice, (WHO, DID, WHAT))) + f" again, the {n + 1}th time",
            sent_at=now - timedelta(days=2 * (SAID - n)) + timedelta(minutes=number),
        )
        for n in range(SAID)
    ]


async def fill_vectors(stores: Stores, contacts: int) -> None:
    """Give each contact two vectors of messages, of any direction."""
    draw = np.random.default_rng(7)
    for start in range(ASKED, contacts, 1_000):
        drawn = draw.standard_normal((2_000, stores.memory.embedder.dimension))
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        items = [
            VectorItem(
                str(uuid5(NAMESPACE_OID, f"vector {start} {n}")),
                f"contact:{contact(start + n // 2)}",
                tuple(row),
            )
            for n, row in enumerate(drawn.tolist())
        ]
        await stores.memory.vectors.upsert(TENANT, "message", items)


async def fill(stores: Stores, contacts: int) -> None:
    """Make the contacts, those who are asked about first."""
    now = datetime.now(UTC)
    said = [history(number, now) for number in range(ASKED)]
    await import_batches(stores.memory, stores.projector, said)
    await stores.projector.caught_up()
    anchors = [contact(number) for number in range(contacts)]
    if stores.settings.neo4j_uri:
        await fill_neo4j(stores, TENANT, anchors)
    else:
        await fill_postgres(stores, TENANT, contacts)
    await fill_vectors(stores, contacts)


async def timed(http: httpx.AsyncClient, requests: int) -> list[float]:
    """Return how long requests took, in milliseconds, sorted."""
    draw, taken = random.Random(3), []
    for number in range(requests):
        query = draw.choice(ASKING).format(draw.choice(DID), f"{draw.choice(WHAT)} no {number}")
        url = f"/context/{contact(draw.randrange(ASKED))}"
        began = time.perf_counter()
        answer = await http.get(url, params={"query": query})
        taken.append((time.perf_counter() - began) * 1000)
        found = answer.json()
        assert answer.status_code == 200, answer.text
        assert found["state"]["relationshipStage"] == "established", found["state"]
        assert len(found["memories"]) > 10
    return sorted(taken)


def row(name: str, taken: Sequence[float], used: Mapping[str, float | None]) -> str:
    """Return sorted milliseconds and processor time a request as a row of the docs' table."""
    p50, p95 = (taken[int(len(taken) * share)] for share in (0.5, 0.95))
    cells = [name, f"{p50:.1f} ms", f"{p95:.1f} ms", f"{taken[-1]:.0f} ms"]
    cells += ["-" if each is None else f"{each:.1f} ms" for each in used.values()]
    return f"| {' | '.join(cells)} |"


async def run(settings: Settings, contacts: int) -> None:
    """Fill the stores, ask, and print how long it took."""
    app = create_app(settings, with_worker=False)
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=60) as http,
    ):
        service: Service = app.state.service
        began = time.perf_counter()
        await fill(service.agent.stores, contacts)
        filled = time.perf_counter() - began
        print(f"{contacts} contacts of {FACTS} facts each, made in {filled:.0f} s", flush=True)
        await timed(http, WARM_UP)
        before = processor_time(settings.data_dir)
        taken = await timed(http, REQUESTS)
        used = processor_time(settings.data_dir).since(before, REQUESTS)
        facts_on = "Neo4j" if settings.neo4j_uri else "Postgres"
        print(row(f"{facts_on}, {contacts:,} contacts", taken, used))
        if settings.neo4j_uri:
            await clear_neo4j(service.agent.stores, TENANT)


def main() -> int:
    """Measure on embedded stores of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--contacts", type=int, default=10_000)
    parser.add_argument("--neo4j", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # as root the embedded Postgres runs as nobody
        settings = Settings(data_dir=Path(folder), tenant=TENANT)
        asyncio.run(run(on_neo4j(settings) if given.neo4j else settings, given.contacts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
