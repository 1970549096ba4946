"""`recollect doctor`: what every setting resolved to, and each store tried for real."""

from __future__ import annotations

import asyncio
import importlib.metadata
import os
import shutil
import sys
from collections.abc import Awaitable, Callable, Collection
from contextlib import AsyncExitStack
from urllib.parse import urlsplit

from pydantic import SecretStr

from channels.errors import GatewayUnavailable
from graph.addresses import Addresses, addresses
from graph.models import choice as models
from graph.settings import Settings, load_settings
from memory.embedded import default_data_dir
from memory.errors import RecollectError
from memory.ports.recall import Embedder
from memory.postgres.pool import Pool, address_of, open_pool
from server.sending.bots import Bots
from ui.cli.misspelt import known_variables, misspelt
from ui.unforeseen import unforeseen

# Below this the embedded Postgres soon cannot write its log.
LOW_DISK_BYTES = 500 * 1024**2
WAHA_TIMEOUT_S = 5.0
# A local model may have to be loaded first; nobody waits longer for a doctor.
MODEL_TIMEOUT_S = 60.0

_REFUSED = (401, 403)


class Unwell(RecollectError):
    """A check failed; the message says what to do."""


async def run_doctor() -> int:
    """Write the report, a line a setting and a line a check; return 1 if anything failed.

    Variables that are no setting are warned of, and fail nothing.

    Raises:
        BadSettings: a setting cannot be read at all.
    """
    settings = load_settings()
    _write("Settings")
    for line in setting_lines(settings):
        _write(f"  {line}")
    warnings = misspelt(os.environ, known_variables())
    for line in warnings:
        _write(f"  warning {line}")
    _write("Checks")
    checkup = Checkup(settings)
    try:
        await checkup.run()
    finally:
        await checkup.close()
    if checkup.failures:
        count = f"{checkup.failures} check" + ("s" if checkup.failures > 1 else "")
        _write(f"{count} failed.")
    elif warnings:
        count = f"{len(warnings)} warning" + ("s" if len(warnings) > 1 else "")
        _write(f"All checks passed, with {count}.")
    else:
        _write("All is well.")
    return 1 if checkup.failures else 0


def setting_lines(settings: Settings) -> list[str]:
    """Return a line for each setting: its variable, its value (secrets masked), what it means."""
    lines = []
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        variable = alias if isinstance(alias, str) else f"RECOLLECT_{name.upper()}"
        is_set = name in settings.model_fields_set
        meaning = field.description or ""
        value = shown(name, getattr(settings, name))
        lines.append(f"{variable}={value}{'' if is_set else ' (default)'}  {meaning}".rstrip())
    return lines


def shown(name: str, value: object) -> str:
    """Return a setting's value as it may be read over a shoulder."""
    if isinstance(value, SecretStr):
        secret = value.get_secret_value()
        if name == "database_url":
            return address_of(secret)
        return "****" if secret else "not set"
    if value is None or value in ("", frozenset()):
        return "not set"
    if isinstance(value, frozenset):
        return ",".join(sorted(value))
    if isinstance(value, dict):
        return ",".join(f"{key}={each}" for key, each in sorted(value.items())) or "not set"
    if isinstance(value, bool):
        return "on" if value else "off"
    text = str(value)
    netloc = urlsplit(text).netloc if "://" in text else ""
    return text.replace(netloc, netloc.rpartition("@")[2]) if "@" in netloc else text


class Checkup:
    """The checks, in the order in which one needs another."""

    def __init__(self, settings: Settings) -> None:
        self.failures = 0
        self._settings = settings
        self._stack = AsyncExitStack()
        self._where: Addresses | None = None
        self._pool: Pool | None = None
        self._embedder: Embedder | None = None

    async def run(self, only: Collection[str] = ()) -> None:
        """Run every check, or only those of these names, and write a line for each."""
        checks: list[tuple[str, Callable[[], Awaitable[str]]]] = [
            ("Data folder", self._data_folder),
            ("Store servers", self._servers),
            ("Postgres", self._postgres),
            ("Facts", self._facts),
            ("Embedder", self._embeddings),
            ("Chroma", self._chroma),
            ("Chat model", self._model),
            ("Persona", self._persona),
            ("Console", self._console),
            ("WAHA", self._waha),
            ("Telegram", self._telegram),
        ]
        for name, check in checks:
            if not only or name in only:
                await self._try(name, check)

    async def close(self) -> None:
        """Let go of what the checks opened."""
        await self._stack.aclose()

    async def _try(self, name: str, check: Callable[[], Awaitable[str]]) -> None:
        try:
            _write(f"  ok      {name}: {await check()}")
            return
        except RecollectError as error:
            reason = str(error)
        # The outer loop over checks: a check that breaks is a check that failed.
        except Exception as error:  # noqa: BLE001
            reason = unforeseen(error)
        self.failures += 1
        _write(f"  FAILED  {name}: {reason}")

    async def _data_folder(self) -> str:
        settings = self._settings
        if settings.database_url and settings.chroma_url:
            return "not used, both stores are servers of yours"
        folder = settings.data_dir or default_data_dir()
        there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
        if not os.access(there, os.W_OK | os.X_OK):
            raise Unwell(f"cannot write {there}; set RECOLLECT_DATA_DIR to a folder of yours")
        free = shutil.disk_usage(there).free
        if free < LOW_DISK_BYTES:
            raise Unwell(f"only {free // 1024**2} MB free on the disk of {there}; make room")
        return f"{folder}, writable, {free / 1024**3:.1f} GB free"

    async def _servers(self) -> str:
        self._where = await self._stack.enter_async_context(addresses(self._settings))
        own = [
            name
            for name, given in (
                ("Postgres", self._settings.database_url),
                ("Chroma", self._settings.chroma_url),
            )
            if not given
        ]
        return f"{' and '.join(own)} embedded, running" if own else "yours, by settings"

    async def _postgres(self) -> str:
        from memory.postgres.migrate import migrate

        pool = await self._stack.enter_async_context(open_pool(self._found().database_url))
        schema = await migrate(pool)
        async with pool.connection() as connection:
            cursor = await connection.execute("select current_setting('server_version') as v")
            row = await cursor.fetchone()
        self._pool = pool
        version = row["v"] if row else "of unknown version"
        return f"{version} at {address_of(self._found().database_url)}, schema {schema}"

    async def _facts(self) -> str:
        settings = self._settings
        if settings.neo4j_uri is None:
            from memory.postgres.facts import PostgresFactStore

            if self._pool is None:
                raise Unwell("in Postgres, which failed above")
            await PostgresFactStore(self._pool).active(settings.tenant, "web:doctor")
            return "in Postgres tables (RECOLLECT_NEO4J_URI is not set)"
        from memory.neo4j.facts import open_neo4j

        password = settings.neo4j_password.get_secret_value()
        store = await open_neo4j(settings.neo4j_uri, settings.neo4j_user, password)
        try:
            await store.active(settings.tenant, "web:doctor")
        finally:
            await store.close()
        return f"in Neo4j at {shown('neo4j_uri', settings.neo4j_uri)}"

    async def _embeddings(self) -> str:
        embedder = await models.embedder(self._settings)
        (vector,) = await embedder.embed(["Where do I live?"])
        self._embedder = embedder
        return f"{embedder.fingerprint}, embedded a sentence into {len(vector)} numbers"

    async def _chroma(self) -> str:
        from memory.chroma.collections import made_by
        from memory.chroma.index import open_chroma

        if self._embedder is None:
            raise Unwell("not tried, for the embedder failed above")
        url, embedder = self._found().chroma_url, self._embedder
        if self._settings.embeddings is None:
            embedder = await models.published_embedder(await made_by(url)) or embedder
        index = await open_chroma(url, embedder.fingerprint, embedder.dimension)
        try:
            count = await index.count(self._settings.tenant, "message")
        finally:
            await index.close()
        of = "this embedder"
        if embedder is not self._embedder:
            of = f"{embedder.fingerprint}: recollect rebuild vectors makes them anew"
        return f"answers at {shown('chroma_url', url)}, {count} vectors of {of}"

    async def _model(self) -> str:
        model = models.chat_model(self._settings)
        if self._settings.model is None:
            return "the offline responder (RECOLLECT_MODEL is not set)"
        try:
            async with asyncio.timeout(MODEL_TIMEOUT_S):
                reply = await model.ainvoke("Answer with one word: ready?")
        except TimeoutError as error:
            raise Unwell(f"no answer within {MODEL_TIMEOUT_S:g} s") from error
        # Whatever its client library raises is about the endpoint.
        except Exception as error:
            status = getattr(error, "status_code", None)
            raise Unwell(
                f"{self._settings.model} does not answer: {type(error).__name__}"
                + (f" (HTTP {status})" if status else "")
                + "; check OPENAI_API_KEY, OPENAI_BASE_URL and RECOLLECT_MODEL"
            ) from error
        return f"{self._settings.model} answered in {len(reply.text)} characters"

    async def _persona(self) -> str:
        return f"{len(self._settings.persona())} characters"

    async def _console(self) -> str:
        try:
            return f"gradio {importlib.metadata.version('gradio')}"
        except importlib.metadata.PackageNotFoundError:
            raise Unwell(
                "gradio is not installed: make setup, or pip install '.[ui]', in a checkout"
            ) from None

    async def _waha(self) -> str:
        given = {"waha_url", "waha_api_key", "waha_hmac_key", "waha_secret"}
        if not given & self._settings.model_fields_set:
            return "not configured, so not tried"
        import httpx

        url = self._settings.waha_url.rstrip("/")
        key = self._settings.waha_api_key.get_secret_value()
        try:
            async with httpx.AsyncClient(timeout=WAHA_TIMEOUT_S) as client:
                answer = await client.get(
                    f"{url}/api/sessions", headers={"X-Api-Key": key} if key else {}
                )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            where = shown("waha_url", url)
            raise Unwell(
                f"nothing answers at {where} ({type(error).__name__}); check RECOLLECT_WAHA_URL"
            ) from error
        if answer.status_code in _REFUSED:
            raise Unwell("the gateway refuses the key; check RECOLLECT_WAHA_API_KEY")
        return f"answers at {shown('waha_url', url)}"

    async def _telegram(self) -> str:
        if not self._settings.telegram_bots:
            return "not configured, so not tried"
        async with Bots(self._settings) as bots:
            try:
                known = [await bots.identity(account) for account in bots.accounts]
            except GatewayUnavailable as error:
                raise Unwell(f"{error}; check RECOLLECT_TELEGRAM_TOKENS") from error
        names = ", ".join(f"@{each.username}" for each in known)
        has_secret = self._settings.telegram_secret is not None
        how = "webhooks and polling" if has_secret else "polling; webhooks need a secret"
        return f"{names} ({how})"

    def _found(self) -> Addresses:
        if self._where is None:
            raise Unwell("not tried, for the servers failed above")
        return self._where


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")
