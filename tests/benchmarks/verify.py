"""How long `verify` and `rebuild` take on 200,000 messages, and how much memory.

`python -m tests.benchmarks.verify [--messages N]` fills a database, projects it with an embedder
that costs nothing, verifies it and makes it anew. Times are of the stores, not of a model.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import tempfile
import time
from collections.abc import Awaitable
from pathlib import Path

from graph.bootstrap import Overrides, open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.trust.rebuild import Pace, rebuild
from memory.trust.verify import verify
from tests.benchmarks.big_ledger import OTHER, TENANT, Size, fill
from tests.fakes.chat_model import ScriptedChatModel
from tests.fakes.vectors import LetterEmbedder
from tests.stores import reachable
from ui.cli.rebuild import RebuildScreen


async def timed(what: str, work: Awaitable[object]) -> None:
    """Await something and print how long it took, and this process's largest size so far."""
    began, used = time.monotonic(), time.process_time()
    found = await work
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    took, busy = time.monotonic() - began, time.process_time() - used
    print(f"{what}: {took:.0f} s, {busy:.0f} s of it busy, {size} MiB {found or ''}", flush=True)


async def _verified(stores: Stores) -> str:
    tenants = stores.settings.served_tenants
    checked = verify(stores.memory, stores.projector.projections, tenants, 3)
    return "; ".join(
        [f"{each.projection} {each.present:,}, {dict(each.counts)}" async for each in checked]
    )


async def _measure(folder: Path, messages: int) -> None:
    settings = Settings(data_dir=folder, tenant=TENANT, tenants={"waha/x": OTHER})
    overrides = Overrides(model=ScriptedChatModel(), embedder=LetterEmbedder())
    async with open_stores(settings, overrides, projects=False) as stores:
        await timed("filled", fill(stores.pool, Size(messages=messages, deliveries=10, turns=0)))
        await timed("projected", stores.projector.caught_up())
        await timed("verified", _verified(stores))
        with RebuildScreen() as screen:
            parts = stores.projector.projections
            again = rebuild(stores.memory, parts, "all", screen, Pace(grace_s=0.1))
            await timed("made anew", again)
        await timed("verified", _verified(stores))


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=200_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        asyncio.run(_measure(reachable(Path(name)) / "data", given.messages))


if __name__ == "__main__":
    main()
