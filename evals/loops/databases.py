"""A database of its own for every world: nothing that one leaves behind can reach another.

Worlds run side by side with settings that differ, and what runs in the background of one must
never find the work of another. The databases lie on the Postgres that the settings name, or on the
run's embedded one, and are dropped; the user's own database is not touched.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import psycopg
from psycopg import AsyncConnection, sql
from psycopg.conninfo import make_conninfo
from pydantic import SecretStr

from evals.errors import BadInputError
from evals.suite.scripted import ScriptedChatModel
from evals.suite.workspace import remove_tenant, run_folder
from graph.addresses import addresses
from graph.bootstrap import Overrides, open_stores
from graph.settings import Settings


@dataclass
class Databases:
    """Makes and drops the databases of a run. `folder` holds the run's files."""

    settings: Settings
    folder: Path
    on_servers: bool
    embedder: str = ""
    _template: str = ""
    _made: set[str] = field(default_factory=set)
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def prepare(self) -> None:
        """Make the template: a database with the product's schema and nothing in it.

        Raises:
            BadInputError: the settings' user may not create databases.
            RecollectError: the stores cannot be opened.
        """
        try:
            own = await self.create()
        except psycopg.Error as error:
            reason = str(error).splitlines()[0]
            raise BadInputError(
                "RECOLLECT_DATABASE_URL: loops needs a user who may create databases, or no"
                f" database set at all ({reason})"
            ) from error
        async with open_stores(own, Overrides(model=ScriptedChatModel())) as stores:
            self.embedder = stores.memory.embedder.fingerprint
        self._template = _name_in(own)

    async def create(self) -> Settings:
        """Return the settings with a fresh database and tenant in them."""
        name = f"recollect_loops_{uuid4().hex[:12]}"
        template = sql.Identifier(self._template or "template1")
        made = sql.SQL("create database {} template {}").format(sql.Identifier(name), template)
        # A power cut is not played here, only the death of the product's own process.
        quick = sql.SQL("alter database {} set synchronous_commit to off")
        async with self._one_at_a_time, await self._connect() as connection:
            await connection.execute(made)
            self._made.add(name)
            await connection.execute(quick.format(sql.Identifier(name)))
        return self.settings.model_copy(
            update={
                "database_url": SecretStr(make_conninfo(self._url, dbname=name)),
                "tenant": name.replace("_", "-"),
            }
        )

    async def remove(self, settings: Settings) -> None:
        """Drop the database that `create` made, and what its tenant has in other stores."""
        if self.on_servers:
            async with open_stores(settings, Overrides(model=ScriptedChatModel())) as stores:
                await remove_tenant(stores, settings.tenant)
        await self._drop(_name_in(settings))

    async def remove_all(self) -> None:
        """Drop whatever is still there."""
        for name in sorted(self._made):
            await self._drop(name)

    async def _drop(self, name: str) -> None:
        drop = sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name))
        async with self._one_at_a_time, await self._connect() as connection:
            await connection.execute(drop)
        self._made.discard(name)

    async def _connect(self) -> AsyncConnection[tuple[object, ...]]:
        return await AsyncConnection.connect(self._url, autocommit=True)

    @property
    def _url(self) -> str:
        url = self.settings.database_url
        return url.get_secret_value() if url else ""


@asynccontextmanager
async def open_databases(settings: Settings) -> AsyncIterator[Databases]:
    """Open the Postgres of a run, with the embedded stores in a temporary folder where none is set.

    Raises:
        RecollectError: one line that names the setting and what is wrong with it.
    """
    async with run_folder() as folder:
        own = settings.model_copy(update={"data_dir": folder / "data"})
        async with addresses(own) as where:
            fixed = own.model_copy(
                update={
                    "database_url": SecretStr(where.database_url),
                    "chroma_url": where.chroma_url,
                    "data_dir": None,
                }
            )
            on_servers = bool(settings.database_url or settings.chroma_url or settings.neo4j_uri)
            databases = Databases(fixed, folder, on_servers)
            try:
                await databases.prepare()
                yield databases
            finally:
                await databases.remove_all()


def _name_in(settings: Settings) -> str:
    url = settings.database_url
    found = psycopg.conninfo.conninfo_to_dict(url.get_secret_value() if url else "")
    return str(found["dbname"])
