"""Whose webhook it is and what is known before its payload is read. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from channels.errors import MalformedPayload
from channels.inbound import Ignored
from channels.waha.accounts import lid_pairs
from channels.waha.jid import canonical_jid, check_id, spellings
from channels.waha.payload import Envelope
from memory.domain.chats import ChatRef

CHANNEL = "waha"


@dataclass(frozen=True, slots=True)
class Session:
    """What is known before the payload is read."""

    tenant: str
    account: str
    event: str
    at: float | None
    own_ids: frozenset[str]
    own_id: str
    owner_ids: frozenset[str]
    known_bots: frozenset[str]
    lids: Mapping[str, str]

    def chat(self, jid: str) -> ChatRef:
        """Return the chat of an id, under its phone form if known."""
        return ChatRef(self.tenant, CHANNEL, self.account, self.lids.get(jid, jid))

    def one_spelling(self, jid: str | None, field: str) -> str:
        """Return an id in its phone form if known; empty stays empty."""
        if not jid:
            return ""
        canonical = canonical_jid(check_id(jid, field))
        return self.lids.get(canonical, canonical)

    def time_of(self, seconds: float | None) -> datetime:
        """Return when a payload says that it was, else when its webhook was made.

        Raises:
            MalformedPayload: Neither is told.
        """
        at = self.time_or_none(seconds)
        if at is None:
            raise MalformedPayload("payload.timestamp", "is missing")
        return at

    def time_or_none(self, seconds: float | None = None) -> datetime | None:
        """Do the same; None where neither is told."""
        value = seconds if seconds is not None else self.at
        return None if value is None else datetime.fromtimestamp(value, UTC)


def session_of(
    envelope: Envelope,
    tenant: str,
    account: str,
    owner_ids: frozenset[str],
    known_bots: frozenset[str],
    lids: Mapping[str, str],
) -> Session:
    """Return what an envelope and our settings tell; the arguments are those of `normalize`."""
    me = envelope.me
    # An account named by its number tells who we are even when the gateway does not.
    named = {account} if canonical_jid(account).endswith(("@c.us", "@lid")) else set()
    own = {value for value in ((me.id, me.lid, me.jid) if me else ()) if value} | named
    revealed = lid_pairs({"payload": envelope.payload}) | dict(lids)
    if me and me.id and me.lid:
        revealed[canonical_jid(me.lid)] = canonical_jid(me.id)
    own_id = (me.id or me.jid or me.lid if me else None) or account
    return Session(
        tenant=tenant,
        account=account,
        event=envelope.event,
        at=envelope.timestamp,
        own_ids=spellings(own, revealed),
        own_id=canonical_jid(own_id),
        owner_ids=spellings(owner_ids, revealed),
        known_bots=spellings(known_bots, revealed),
        lids=lids,
    )


def status_update(chat: str) -> Ignored | None:
    """Tell that a chat is not kept: what people post as their status is gone after a day."""
    return Ignored("status update") if chat == "status@broadcast" else None
