"""Which ids a WAHA webhook tells to be one: of a person, and of our own account. Pure."""

from __future__ import annotations

from channels.errors import MalformedPayload
from channels.waha.engine_data import jid_of
from channels.waha.engine_data import lid_pairs as pairs_of
from channels.waha.jid import check_id


def lid_pairs(event: object) -> dict[str, str]:
    """Return the hidden id -> phone id pairs that a webhook reveals; empty when none."""
    payload = event.get("payload") if isinstance(event, dict) else None
    data = payload.get("_data") if isinstance(payload, dict) else None
    pairs = pairs_of(data) if isinstance(data, dict) else {}
    return {lid: jid for lid, jid in pairs.items() if _is_person(lid) and _is_person(jid)}


def own_ids(event: object) -> frozenset[str]:
    """Return the ids that a webhook's envelope tells of our own account; empty when none."""
    me = event.get("me") if isinstance(event, dict) else None
    if not isinstance(me, dict):
        return frozenset()
    found = {jid_of(me.get(name)) for name in ("id", "lid", "jid")}
    return frozenset(jid for jid in found if _is_person(jid))


def _is_person(jid: str) -> bool:
    try:
        return jid.endswith(("@c.us", "@lid")) and bool(check_id(jid, "me"))
    except MalformedPayload:
        return False
