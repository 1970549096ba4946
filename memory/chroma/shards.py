"""Where vectors lie: 16 collections of a kind, told by a hash of tenant and anchor. Pure.

A filtered query slows with the size of its collection; so each kind has several
(`recollect-message-00` ...), and again as many while it is made anew. In one, vectors are selected
by their scope.
"""

from __future__ import annotations

import hashlib
import json
import re

from memory.ports.recall import VectorKind

# Source: our measurement; 100k vectors over 16 collections answer as fast as over 64 in far less
# memory.
SHARDS = 16


def scope_of(tenant: str, anchor: str) -> str:
    """Return the 32 hex digits that stand for an anchor of a tenant."""
    return hashlib.sha256(json.dumps([tenant, anchor]).encode()).hexdigest()[:32]


def shard_of(scope: str) -> int:
    """Return the shard, 0 to 15, that holds a scope."""
    return int(scope[:8], 16) % SHARDS


def collection_name(kind: VectorKind, generation: int, shard: int) -> str:
    """Return the name of a making's collection."""
    making = "" if generation == 1 else f"-g{generation}"
    return f"recollect-{kind}{making}-{shard:02d}"


def generation_in(name: str, kind: VectorKind) -> int | None:
    """Return which making of a kind a collection belongs to; None where it is another kind's."""
    found = re.fullmatch(rf"recollect-{kind}(?:-g(\d+))?-\d\d", name)
    return int(found[1] or 1) if found else None
