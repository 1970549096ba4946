"""Connection to a Chroma server, with its errors turned into ours."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple
from urllib.parse import urlsplit

import chromadb
import httpx
from chromadb.api import AsyncClientAPI
from chromadb.api.async_fastapi import AsyncFastAPI
from chromadb.config import Settings
from chromadb.errors import ChromaError, NotFoundError

from memory.errors import RecollectError, StoreRefused, StoreUnavailable

SETTING = "RECOLLECT_CHROMA_URL"

# Chroma's own client waits for ever. A batch of 2,000 vectors takes about a second.
REQUEST_TIMEOUT_S = 30.0

# Source: RFC 9110 and RFC 6585: request timeout, too many requests.
_TRANSIENT_STATUSES = frozenset({408, 429})

# How many are connected on an event loop, by its hash, as Chroma keys its connection pools.
_connected: Counter[int] = Counter()

_DEFAULT_PORT = {"http": 8000, "https": 443}


@asynccontextmanager
async def translated(url: str) -> AsyncIterator[None]:
    """Turn what Chroma's client raises, and silence beyond 30 s, into errors of ours.

    `NotFoundError` passes: a missing collection is for the caller to judge.

    Raises:
        StoreUnavailable: the server does not answer, or cannot carry the call out now.
        StoreRefused: it refuses the call for good.
    """
    try:
        async with asyncio.timeout(REQUEST_TIMEOUT_S):
            yield
    except NotFoundError:
        raise
    except TimeoutError as exc:
        raise _unavailable(url, f"no answer within {REQUEST_TIMEOUT_S:g} s") from exc
    except ChromaError as exc:
        raise _judged(url, exc.code(), type(exc).__name__) from exc
    except (httpx.HTTPError, OSError) as exc:
        raise _unavailable(url, _reason(exc)) from exc
    except Exception as exc:
        # Chroma's client raises bare Exception, with the answer in it, on an error that it does
        # not know; the status is in what it was handling then.
        if type(exc) is not Exception:
            raise
        known = exc.__context__
        status = known.response.status_code if isinstance(known, httpx.HTTPStatusError) else 0
        raise _judged(url, status, f"HTTP {status}" if status else "unknown error") from exc


class Connection:
    """A connection to the server at `http(s)://host[:port]`, made when it is first needed.

    `greet` is called once with the client that was made: what it raises refuses the connection.
    """

    def __init__(self, url: str, greet: Callable[[AsyncClientAPI], Awaitable[None]]) -> None:
        """Take the address; nothing is sent yet.

        Raises:
            StoreUnavailable: it is malformed.
        """
        self._url = url
        self._greet = greet
        _address(url)
        self._client: AsyncClientAPI | None = None
        self._connecting = asyncio.Lock()

    async def client(self) -> AsyncClientAPI:
        """Return the client, connected.

        Raises:
            StoreUnavailable: No Chroma server answers at the address.
            StoreRefused: The server refuses us.
        """
        async with self._connecting:
            if self._client is None:
                client = await connect(self._url)
                try:
                    async with translated(self._url):
                        await self._greet(client)
                except BaseException:
                    await disconnect()
                    raise
                self._client = client
            return self._client

    async def close(self) -> None:
        """Close what was opened."""
        if self._client is not None:
            self._client = None
            await disconnect()


class _Address(NamedTuple):
    host: str
    port: int
    is_secure: bool


def _address(url: str) -> _Address:
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = 0
    if parts.scheme not in _DEFAULT_PORT or not parts.hostname or port == 0:
        raise _unavailable(url, "expected http://host:port")
    # urlsplit takes the brackets off an IPv6 address; Chroma's client needs them.
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return _Address(host, port or _DEFAULT_PORT[parts.scheme], parts.scheme == "https")


async def connect(url: str) -> AsyncClientAPI:
    """Connect to the server at `http(s)://host[:port]`.

    Raises:
        StoreUnavailable: The address is malformed, or no Chroma server answers there.
        StoreRefused: The server refuses us.
    """
    address = _address(url)
    _connected[hash(asyncio.get_running_loop())] += 1
    try:
        async with translated(url):
            return await chromadb.AsyncHttpClient(
                host=address.host,
                port=address.port,
                ssl=address.is_secure,
                settings=Settings(anonymized_telemetry=False),
            )
    except BaseException as exc:
        await disconnect()
        # The client reports an absent tenant or database, or another kind of server, like this.
        if isinstance(exc, (NotFoundError, ValueError)):
            raise _unavailable(url, _reason(exc)) from exc
        raise


async def disconnect() -> None:
    """Let go of what `connect` returned on the running event loop.

    Chroma's clients of a loop share their connections, in a class attribute that nothing public
    closes. The last of them closes these: whoever did before would cut the others off.
    """
    loop = hash(asyncio.get_running_loop())
    _connected[loop] -= 1
    if _connected[loop] > 0:
        return
    del _connected[loop]
    if (pool := AsyncFastAPI._clients.pop(loop, None)) is not None:  # noqa: SLF001
        await pool.aclose()


def _judged(url: str, status: int, reason: str) -> RecollectError:
    if 400 <= status < 500 and status not in _TRANSIENT_STATUSES:
        return StoreRefused(SETTING, reason)
    return _unavailable(url, reason)


def _unavailable(url: str, reason: str) -> StoreUnavailable:
    parts = urlsplit(url)
    address = url.replace(parts.netloc, parts.netloc.rpartition("@")[2]) if parts.netloc else url
    return StoreUnavailable(SETTING, address, reason)


def _reason(exc: BaseException) -> str:
    lines = str(exc).splitlines()
    return lines[0][:200] if lines else type(exc).__name__
