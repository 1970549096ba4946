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
from memory.domain.channels import traits_of
from memory.domain.chats import Pair
from memory.ports.changes import Identities

CHANNEL = "waha"
LOOKUP_TIMEOUT_S = 2.0
"""A webhook waits this long for a hidden id to be resolved, no longer."""
LOOKUP_AGAIN_S = 600.0
MAX_ASKED = 100_000
KEPT_CONNECTIONS = 20

log = logging.getLogger(__name__)


class Gateway:
    """The gateway that the settings name. An async context manager."""

    def __init__(self, settings: Settings, identities: Identities) -> None:
        self._url = settings.waha_url
        self._key = settings.waha_api_key.get_secret_value()
        # How many calls an account may have under way, its callers bound: a limit for all of them
        # would let those that hang keep the others waiting.
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=KEPT_CONNECTIONS)
        self._http = httpx.AsyncClient(timeout=TIMEOUT_S, limits=limits)
        self._clients: dict[str, WahaClient] = {}
        self._identities = identities
        self._asked_at: dict[tuple[str, str], float] = {}

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

    async def resolve(
        self, tenant: str, session: str, ids: Iterable[str], told_by: str = ""
    ) -> Mapping[str, str]:
        """Return hidden id -> phone id for those of the ids that are known, and ask for the rest.

        `told_by`: see `learn`.

        A session that does not answer, or does not know, is not asked again for ten minutes.
        """
        now = time.monotonic()
        hidden = [each for each in dict.fromkeys(ids) if traits_of(CHANNEL).is_hidden(each)]
        if not hidden:
            return {}
        known = await self._identities.resolve(tenant, CHANNEL, hidden)
        wanted = [
            lid
            for lid in hidden
            if lid not in known
            and now - self._asked_at.get((session, lid), -LOOKUP_AGAIN_S) >= LOOKUP_AGAIN_S
        ]
        found = await asyncio.gather(*(self._ask(session, lid) for lid in wanted))
        pairs = {lid: phone for lid, phone in zip(wanted, found, strict=True) if phone}
        if not pairs:
            return known
        await self.learn(tenant, session, pairs, "gateway", told_by)
        return await self._identities.resolve(tenant, CHANNEL, hidden)

    async def learn(
        self, tenant: str, session: str, pairs: Mapping[str, str], how: str, told_by: str = ""
    ) -> list[Pair]:
        """Remember hidden id -> phone id pairs for every process; return the new ones.

        `told_by`: the uid of the message that named them; none is learned of one that was erased.
        """
        told = [Pair(tenant, CHANNEL, session, lid, phone) for lid, phone in pairs.items()]
        return await self._identities.learn(told, how, told_by) if told else []

    async def _ask(self, session: str, lid: str) -> str | None:
        if len(self._asked_at) >= MAX_ASKED:
            self._asked_at.clear()
        self._asked_at[session, lid] = time.monotonic()
        try:
            async with asyncio.timeout(LOOKUP_TIMEOUT_S):
                return await self.client(session).resolve_lid(lid)
        except (GatewayUnavailable, MalformedPayload, TimeoutError):
            log.info("the gateway did not resolve a hidden id")
            return None
