"""Whether Neo4j holds anything of somebody who was erased: every value of every node is asked."""

from __future__ import annotations

from typing import Final, LiteralString

from neo4j import AsyncDriver
from typing_extensions import override

from memory.domain.erasures import Looked, Needles
from memory.neo4j.connection import translated
from memory.ports.erasures import Traces

# An id may be followed by what it is about ("<uid>/ended"); lists hold no names.
_HOLDS: Final[LiteralString] = """
any(name IN keys(x) WHERE toStringOrNull(x[name]) IN $ids
  OR split(coalesce(toStringOrNull(x[name]), ''), '/')[0] IN $uuids
  OR any(text IN $texts WHERE coalesce(toStringOrNull(x[name]), '') CONTAINS text))
"""
_OURS: Final[LiteralString] = "(x.tenant = $tenant OR x.contact_key STARTS WITH $prefix)"
NODES: Final[LiteralString] = f"""
MATCH (x) WHERE {_OURS}
RETURN count(x) AS places, sum(CASE WHEN {_HOLDS} THEN 1 ELSE 0 END) AS left
"""
TIES: Final[LiteralString] = f"""
MATCH (n)-[x]->() WHERE n.tenant = $tenant OR n.contact_key STARTS WITH $prefix
RETURN sum(CASE WHEN {_HOLDS} THEN 1 ELSE 0 END) AS left
"""


class Neo4jTraces(Traces):
    """`Traces` on nodes and relationships of a tenant. `address` is for the error's line."""

    def __init__(self, driver: AsyncDriver, address: str) -> None:
        self._driver = driver
        self._address = address

    @property
    @override
    def store(self) -> str:
        return "neo4j"

    @override
    async def look(self, tenant: str, needles: Needles) -> Looked:
        keys = {
            "tenant": tenant,
            "prefix": f"{tenant}\x1f",
            "ids": [*needles.ids, *(f"{tenant}\x1f{each}" for each in needles.contacts)],
            "uuids": sorted(needles.uuids),
            "texts": list(needles.texts),
        }
        left = {}
        for place, statement in (("nodes", NODES), ("relationships", TIES)):
            async with translated(self._address):
                result = await self._driver.execute_query(statement, keys)
            if count := int(result.records[0]["left"]):
                left[place] = count
        return Looked(2, left)
