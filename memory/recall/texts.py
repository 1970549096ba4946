"""The texts of what was recalled, as they are now: what is gone or withheld is not among them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from typing import Final, NamedTuple

from memory.domain.chats import StoredMessage, is_uid
from memory.domain.facts import Fact
from memory.domain.recalls import Part, Recalled
from memory.facts.asof import over_of
from memory.ports.bundle import Memory
from memory.recall.claimed import claimed_by_id
from memory.recall.heard import heard_by_id, of_teller
from memory.recall.noted import noted_by_id
from memory.recall.recall import Scope
from memory.text.excerpts import cut

MAX_SPEAKER_CHARS: Final = 40


class Texts(NamedTuple):
    """What was recalled, as it is now: active facts and messages by id, and lines of the window.

    `claims` are the ids of what the asker told of others, `tellers` who told the facts that others
    told of themselves, `over` what lines told and has ended.
    """

    facts: Mapping[str, Fact]
    claims: Collection[str]
    tellers: Mapping[str, str]
    found: Mapping[str, StoredMessage]
    window: tuple[StoredMessage, ...]
    missing: tuple[Part, ...]
    over: tuple[Fact, ...]

    def told_in(self, zone: tzinfo) -> Texts:
        """Return them with all times in a zone, as a prompt tells days and hours."""
        return self._replace(
            facts={key: _fact_in(fact, zone) for key, fact in self.facts.items()},
            found={uid: _said_in(stored, zone) for uid, stored in self.found.items()},
            over=tuple(_fact_in(fact, zone) for fact in self.over),
        )


async def texts_of(
    memory: Memory, scope: Scope, recalled: Sequence[Recalled], window: Sequence[str]
) -> Texts:
    """Read what was recalled, and the lines of a window, by uid."""
    ids = {
        kind: [entry.item_id for entry in recalled if entry.kind == kind]
        for kind in ("fact", "message", "quote")
    }
    known: list[Fact] | None = []
    told_by = sorted({*ids["message"], *ids["quote"], *window})
    if ids["fact"] or told_by:
        known = await memory.outages.ask(
            "facts", lambda: memory.facts.active(scope.tenant, scope.contact_id, told_by)
        )
    active = [fact for fact in known or () if fact.status == "active"]
    facts = {fact.fact_id: fact for fact in active if fact.fact_id in set(ids["fact"])}
    others = set(ids["fact"]) - facts.keys()
    noted = await noted_by_id(memory, scope.tenant, scope.anchor, others)
    claims = await claimed_by_id(
        memory, scope.tenant, scope.contact_id, others - noted.keys(), scope.limit_to
    )
    further = others - noted.keys() - claims.keys()
    heard = await _heard(memory, scope, further)
    facts |= noted
    told = {**claims, **heard}
    facts |= {key: fact for key, fact in told.items() if fact.status == "active"}
    sources = {uid for fact in facts.values() if is_uid(uid := fact.source_uid)}
    stored = await memory.ledger.messages(
        scope.tenant, list({*ids["quote"], *sources, *window}), with_neighbours=ids["message"]
    )
    # A fact whose source was deleted is closed soon, and is no longer told now.
    gone = {each.uid for each in stored if each.revoked_at}
    facts = {key: fact for key, fact in facts.items() if fact.source_uid not in gone}
    found = {each.uid: each for each in stored if not each.withheld}
    tellers = {
        key: speaker_of(found[fact.source_uid])
        for key, fact in heard.items()
        if key in facts and fact.source_uid in found
    }
    facts = {key: fact for key, fact in facts.items() if key not in heard} | {
        key: of_teller(facts[key], name) for key, name in tellers.items()
    }
    missing: tuple[Part, ...] = ("facts",) if known is None else ()
    wanted = set(window)
    after = tuple(each for each in stored if each.uid in wanted)
    # In a group the end of a fact may be known from elsewhere.
    over = () if scope.limit_to else tuple(over_of(known or ()))
    return Texts(facts, claims, tellers, found, after, missing, over)


async def _heard(memory: Memory, scope: Scope, ids: Collection[str]) -> dict[str, Fact]:
    """Return facts of others by id that may be told where it is asked, whoever recalled them."""
    if not ids:
        return {}
    listener = "" if scope.is_group else scope.contact_id
    audience = await memory.lexical.audience(scope.tenant, listener, scope.anchor, [])
    anchors = {scope.anchor, *audience.further}
    found = await heard_by_id(memory, scope.tenant, scope.contact_id, ids)
    return {key: fact for key, fact in found.items() if fact.anchor in anchors}


def _fact_in(fact: Fact, zone: tzinfo) -> Fact:
    return replace(
        fact,
        valid_from=fact.valid_from.astimezone(zone),
        valid_to=fact.valid_to and fact.valid_to.astimezone(zone),
        expires_at=fact.expires_at and fact.expires_at.astimezone(zone),
    )


def _said_in(stored: StoredMessage, zone: tzinfo) -> StoredMessage:
    sent_at = stored.message.sent_at.astimezone(zone)
    return replace(stored, message=replace(stored.message, sent_at=sent_at))


def speaker_of(stored: StoredMessage) -> str:
    """Return the name by which a message's speaker is shown."""
    return cut(stored.message.sender_name or stored.message.actor.value, MAX_SPEAKER_CHARS)
