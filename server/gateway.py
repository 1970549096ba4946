"""Clients of the WAHA gateway, one a session, over shared connections; and the hidden ids."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Self

import httpx

from channels.errors import GatewayUnavailable, MalformedPayload
from channels.waha.client import TIMEOUT_S, WahaClient
from graph.settings import Settings

LOOKUP_TIMEOUT_S = 2.0
"""A webhook waits this long for a hidden id to be resolved, no longer."""
LOOKUP_AGAIN_S = 600.0
MAX_KNOWN = 100_000

log = logging.getLogger(__name__)


class Gateway:
    """The gateway that the settings name. An async context manager."""

    def __init__(self, settings: Settings) -> None:
        self._url = settings.waha_url
        self._key = settings.waha_api_key.get_secret_value()
        self._http = httpx.AsyncClient(timeout=TIMEOUT_S)
        self._clients: dict[str, WahaClient] = {}
        self._phones: dict[str, str] = {}
        self._asked_at: dict[str, float] = {}

    async def __aenter__(self) -> Self:
        """Return the gateway itself."""
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the connections."""
        await self._http.aclose()

    def client(self, session: str) -> WahaClient:
        """Return the client of a WhatsApp session; an account here is named like its session."""
        if session not in self._clients:
            self._clients[session] = WahaClient(self._url, self._key, session, self._http)
        return self._clients[session]

    @property
    def phones(self) -> Mapping[str, str]:
        """Hidden id to phone id, as far as known."""
        return self._phones

    def learn(self, pairs: Mapping[str, str]) -> None:
        """Remember pairs that a webhook revealed."""
        if len(self._phones) < MAX_KNOWN:
            self._phones.update(pairs)

    async def resolve(self, session: str, ids: Iterable[str]) -> bool:
        """Ask the gateway for the phone behind hidden ids; tell whether one became known.

        A gateway that does not answer, or does not know, is not asked again for ten minutes.
        """
        now = time.monotonic()
        wanted = [
            lid
            for lid in dict.fromkeys(ids)
            if lid.endswith("@lid")
            and lid not in self._phones
            and now - self._asked_at.get(lid, -LOOKUP_AGAIN_S) >= LOOKUP_AGAIN_S
        ]
        found = await asyncio.gather(*(self._ask(session, lid) for lid in wanted))
        self.learn({lid: phone for lid, phone in zip(wanted, found, strict=True) if phone})
        return any(found)

    async def _ask(self, session: str, lid: str) -> str | None:
        if len(self._asked_at) >= MAX_KNOWN:
            self._asked_at.clear()
        self._asked_at[lid] = time.monotonic()
        try:
            async with asyncio.timeout(LOOKUP_TIMEOUT_S):
                return await self.client(session).resolve_lid(lid)
        except (GatewayUnavailable, MalformedPayload, TimeoutError):
            log.info("the gateway did not resolve a hidden id")
            return None
