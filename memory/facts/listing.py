"""Facts as people look at them: with who said it when, and how it was taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from memory.domain.chats import is_uid
from memory.domain.facts import APART, Fact, is_by_hand
from memory.facts.asof import BadTime, as_of, ever_told
from memory.facts.claims import EXPLICIT_CONFIDENCE
from memory.ports.bundle import Memory

How = Literal["corrected", "said", "guessed"]
"""A person corrected it by hand, a message says it outright, or it was made out of one."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A fact, who said it and when; `who` empty and `said_at` None where the message is gone."""

    fact: Fact
    how: How
    who: str = ""
    said_at: datetime | None = None


async def listed(memory: Memory, tenant: str, facts: Sequence[Fact]) -> list[Listed]:
    """Return facts with their messages' senders and times, in the same order."""
    uids = {fact.source_uid.partition(APART)[0] for fact in facts}
    stored = await memory.ledger.messages(tenant, sorted(filter(is_uid, uids)))
    messages = {each.uid: each.message for each in stored}
    found = []
    for fact in facts:
        said = messages.get(fact.source_uid.partition(APART)[0])
        who = (said.sender_name or said.sender_id) if said else ""
        found.append(Listed(fact, how_of(fact), who, said.sent_at if said else None))
    return found


async def facts_of(
    memory: Memory,
    tenant: str,
    contact_id: str,
    at: datetime | None = None,
    known: datetime | None = None,
    *,
    every: bool = False,
    withheld: bool = False,
) -> list[Fact]:
    """Return a contact's facts: those that hold or, of a time, that held, as known then or now.

    `every`: those that hold no more, too, in the order of recording. `withheld`: those, too, that
    are never to be recalled: for the owner alone.

    Raises:
        BadTime: all facts are asked for, and those of a time.
    """
    store = memory.all_facts if withheld else memory.facts
    if at is None and known is None and not every:
        return await store.active(tenant, contact_id)
    history = await store.history(tenant, contact_id)
    moment = at or known
    if moment is None:
        return ever_told(history)
    if every:
        raise BadTime("ask for all facts, or for those of a day, not for both")
    return as_of(history, moment, known)


def how_of(fact: Fact) -> How:
    """Tell how a fact was taken."""
    if is_by_hand(fact.source_uid):
        return "corrected"
    return "said" if fact.confidence >= EXPLICIT_CONFIDENCE else "guessed"


def listed_to_json(each: Listed) -> dict[str, Any]:  # Any: a JSON object
    """Return a listed fact as a JSON object."""
    fact = each.fact
    return {
        "fact_id": fact.fact_id,
        "category": fact.category,
        "key": fact.key,
        "value": fact.value,
        "status": fact.status,
        "mark": fact.mark,
        "confidence": fact.confidence,
        "importance": fact.importance,
        "how": each.how,
        "who": each.who,
        "said_at": _iso(each.said_at),
        "source_uid": fact.source_uid,
        "read_by": fact.read_by,
        "span": fact.span,
        "closed_by": fact.closed_by,
        "valid_from": _iso(fact.valid_from),
        "valid_to": _iso(fact.valid_to),
        "recorded_from": _iso(fact.recorded_from),
        "recorded_to": _iso(fact.recorded_to),
    }


def _iso(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
