"""A place of its own for every run: the user's memory is not touched, and nothing stays behind."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

from graph.bootstrap import Overrides, open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.postgres.pool import address_of
from memory.postgres.tenants import holdings, remove_transcript

_SERVERS_STOP_WITHIN_S = 10.0


@asynccontextmanager
async def workspace(settings: Settings, overrides: Overrides) -> AsyncIterator[Stores]:
    """Open the stores that the settings name for one run, and remove what the run wrote.

    Embedded stores live in a temporary data folder; on servers the run is a tenant of its own.

    Raises:
        RecollectError: a store cannot be opened; one line that says why.
    """
    on_servers = bool(settings.database_url or settings.chroma_url or settings.neo4j_uri)
    # Ties in a ranking may be broken by ids that derive from the tenant: a fixed name repeats.
    tenant = f"eval-{uuid4()}" if on_servers else "eval"
    async with run_folder() as folder:
        own = settings.model_copy(update={"data_dir": folder / "data", "tenant": tenant})
        async with open_stores(own, overrides) as stores:
            try:
                yield stores
            finally:
                if on_servers:
                    await remove_tenant(stores, tenant)


@asynccontextmanager
async def run_folder() -> AsyncIterator[Path]:
    """Make a temporary folder for one run, and remove it once its servers have stopped."""
    folder = await asyncio.to_thread(_make_folder)
    try:
        yield folder
    finally:
        await asyncio.to_thread(_remove_folder, folder)


async def remove_tenant(stores: Stores, tenant: str) -> None:
    """Erase everything that a tenant has in any store; the transcript goes last.

    Interrupted, it can be called again: the transcript still names what is left.
    """
    held = await holdings(stores.pool, tenant)
    for anchor in held.anchors:
        await stores.memory.vectors.delete(tenant, "message", anchor)
        await stores.memory.vectors.delete(tenant, "knowledge", anchor)
        await stores.memory.vectors.delete(tenant, "episode", anchor)
    for contact in held.contacts:
        await stores.memory.facts.forget(tenant, contact)
        await stores.memory.entities.replace(tenant, contact, [])
    for thread in held.threads:
        await stores.saver.adelete_thread(thread)
    await remove_transcript(stores.pool, tenant)


def describe_stores(settings: Settings) -> dict[str, str]:
    """Return where each store of a run is, without passwords."""
    database = settings.database_url
    return {
        "postgres": address_of(database.get_secret_value()) if database else "embedded",
        "chroma": settings.chroma_url or "embedded",
        "facts": "neo4j" if settings.neo4j_uri else "postgres",
    }


def _make_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="recollect-eval-")).resolve()
    folder.chmod(0o711)  # run as root, Postgres is another user who has to get to its files
    return folder


def _remove_folder(folder: Path) -> None:
    # The servers stop after the last client has let go, and write until then.
    deadline = time.monotonic() + _SERVERS_STOP_WITHIN_S
    while folder.exists():
        shutil.rmtree(folder, ignore_errors=True)
        if time.monotonic() > deadline:
            return
        time.sleep(0.05)
