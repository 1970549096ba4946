"""What the claims of one entity come to: the same as facts do (L3, X6). Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID, uuid5

from memory.domain.entities import EntityClaim
from memory.domain.facts import Fact, Observation
from memory.domain.readings import ThirdPartyClaim
from memory.facts.claims import claim_in, claim_of
from memory.facts.predicates import predicate
from memory.facts.slots import words_of
from memory.facts.supersession import plan

_NAMESPACE: Final = UUID("0a7f3ed1-1c53-5d1b-8d0e-6f4a1c2b9e77")


def claims_in(
    tenant: str, claims: Sequence[ThirdPartyClaim], objects: Mapping[int, str]
) -> tuple[EntityClaim, ...]:
    """Return what is claimed of one entity, by time, with what became of each.

    `objects`: the entity that a value is, by the `id()` of its claim.
    """
    seen = {id(claim): each for claim in claims if (each := _observation(claim)) is not None}
    if not seen:
        return ()
    by_message: dict[str, list[Observation]] = {}
    for each in seen.values():
        by_message.setdefault(each.source_uid, []).append(each)
    latest = max(each.stated_at for each in seen.values())
    rows = plan(tenant, "", [], list(by_message.values()), latest).inserted
    of = {claim_of(each): next(c for c in claims if id(c) == key) for key, each in seen.items()}
    return tuple(
        _claim(tenant, row, of[claim_in(row)].holder, objects.get(id(of[claim_in(row)]), ""))
        for row in sorted(rows, key=lambda row: row.valid_from)
        if row.status != "retraction"
    )


def claim_id_of(tenant: str, source_uid: str, holder: str, key: str, value: str) -> str:
    """Return the id of what a message claims of a holder; receipts find it by that."""
    parts = (tenant, source_uid, holder.casefold(), key, *words_of(value))
    return str(uuid5(_NAMESPACE, "\x1f".join(parts)))


def _observation(claim: ThirdPartyClaim) -> Observation | None:
    known = predicate(claim.key)
    if known is None:
        return None
    return Observation(
        category=known.category,
        key=claim.key,
        value=claim.value,
        confidence=claim.confidence,
        importance=known.importance,
        source_uid=claim.source_uid,
        stated_at=claim.stated_at,
        anchor=claim.anchor,
        retracts=claim.has_ended,
    )


def _claim(tenant: str, row: Fact, holder: str, object_id: str) -> EntityClaim:
    return EntityClaim(
        claim_id=claim_id_of(tenant, row.source_uid, holder, row.key, row.value),
        key=row.key,
        value=row.value,
        confidence=row.confidence,
        importance=row.importance,
        source_uid=row.source_uid,
        anchor=row.anchor,
        status=row.status,
        since=row.valid_from,
        until=row.valid_to,
        closed_by=row.closed_by,
        object_id=object_id,
    )
