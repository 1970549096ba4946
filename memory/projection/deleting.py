"""Vectors are deleted an anchor at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from memory.ports.recall import VectorIndex, VectorKind


async def delete_vectors(
    index: VectorIndex, tenant: str, kind: VectorKind, items: Iterable[tuple[str, str]]
) -> None:
    """Delete the vectors of items, each an anchor and an id; one that has none is no error."""
    by_anchor: defaultdict[str, list[str]] = defaultdict(list)
    for anchor, item_id in items:
        by_anchor[anchor].append(item_id)
    for anchor, item_ids in by_anchor.items():
        await index.delete_items(tenant, kind, anchor, item_ids)
