"""A search through everything that is remembered of a contact, as the agent does it, explained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from graph.stores import Stores
from memory.domain.chats import StoredMessage
from memory.domain.episodes import Episode
from memory.domain.facts import Fact
from memory.domain.notes import NOTE
from memory.domain.recalls import Recalled
from memory.facts.predicates import key_in_words
from memory.recall.breadth import for_prompt, lines_sought
from memory.recall.certainty import is_uncertain
from memory.recall.passages import Remembered, remember
from memory.recall.recall import Findings, Scope, recall
from memory.recall.receipts import missing_line
from memory.recall.relevance import fits
from nodes.context import Options

LISTED: Final = 30
"""So many messages are listed, whether a prompt would show them or not."""


@dataclass(frozen=True, slots=True)
class Hit:
    """Something that was found. `cut` says why a prompt would not show it; empty where it would.

    `parts`: of what its score is made, by the names of the search.
    """

    kind: Literal["fact", "note", "message", "episode"]
    text: str
    at: datetime
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)
    cut: str = ""
    said: StoredMessage | None = None


@dataclass(frozen=True, slots=True)
class Search:
    """What a search found, best first by kind, among how many lines, and what was not at hand.

    `is_near`: whether any of it has to do with the question, as far as anybody can tell.
    """

    hits: tuple[Hit, ...] = ()
    lines: int = 0
    missing: str = ""
    is_near: bool = True


async def search_everything(stores: Stores, contact_id: str, query: str) -> Search:
    """Search a contact's memory as their direct chat would; nothing is found for an empty query.

    Raises:
        StoreUnavailable: Postgres cannot be reached.
    """
    if not query.strip():
        return Search()
    memory, settings = stores.memory, stores.settings
    anchor = f"contact:{contact_id}"
    scope = Scope(settings.tenant, contact_id, anchor, is_group=False)
    most = Options().recall_limit
    sought = max(LISTED, lines_sought(most))
    found = await recall(memory, scope, query, stores.clock(), sought, compares_facts=True)
    chosen = _chosen(found, most)
    remembered = await remember(memory, scope, chosen, settings.memory_tokens)
    uids = [entry.item_id for entry in found.entries if entry.kind == "message"]
    more = await memory.ledger.messages(settings.tenant, uids)
    said = {each.uid: each for each in more if not each.withheld}
    near = {entry.item_id: entry for entry in found.entries if entry.kind == "episode"}
    over = await memory.episodes.over(settings.tenant, near)
    hits = (
        *facts_found(remembered),
        *messages_found(found.entries, remembered, said, most),
        *episodes_found(near, over),
    )
    lines = found.looked_at.lines if found.looked_at else 0
    is_near = not is_uncertain(found.certainty) or any(map(_is_named, hits))
    return Search(hits, lines, missing_line(found.missing), is_near)


def _is_named(hit: Hit) -> bool:
    """Tell whether the question's own words, or a fact's kind, led to it."""
    return hit.kind in ("fact", "note") or hit.parts.get("lexical", 0.0) > 0


def _chosen(found: Findings, most: int) -> list[Recalled]:
    facts = [entry for entry in found.entries if entry.kind == "fact"]
    messages = [entry for entry in found.entries if entry.kind == "message"]
    return [*facts, *for_prompt(messages, found.several, most)]


def facts_found(remembered: Remembered) -> list[Hit]:
    """Return the facts and notes that fit the question, best first."""
    found = []
    for entry in remembered.recalled:
        fact = remembered.facts.get(entry.item_id)
        if entry.kind == "fact" and fact is not None and fits(entry.parts):
            cut = "" if entry.is_shown else "no room in the prompt"
            source = remembered.messages.get(fact.source_uid)
            found.append(_fact_hit(fact, entry, cut, source))
    return sorted(found, key=lambda hit: -_fit(hit.parts))


def _fit(parts: Mapping[str, float]) -> float:
    return max(parts.get("words", 0.0), parts.get("dense", 0.0))


def _fact_hit(fact: Fact, entry: Recalled, cut: str, source: StoredMessage | None) -> Hit:
    name = key_in_words(fact.key)
    if fact.key == NOTE:
        return Hit("note", fact.value, fact.valid_from, entry.score, entry.parts, cut)
    text = f"{name}: {fact.value}"
    return Hit("fact", text, fact.valid_from, entry.score, entry.parts, cut, source)


def messages_found(
    entries: Sequence[Recalled],
    remembered: Remembered,
    said: Mapping[str, StoredMessage],
    most: int,
) -> list[Hit]:
    """Return the messages that were found, best first, each with why a prompt leaves it out."""
    outcome = {entry.item_id: entry for entry in remembered.recalled if entry.kind == "message"}
    found = []
    for entry in entries:
        stored = said.get(entry.item_id)
        if entry.kind != "message" or stored is None:
            continue
        became = outcome.get(entry.item_id)
        if became is None:
            cut = f"not among the best {most}"
        elif became.repeats:
            cut = "another line says the same"
        else:
            cut = "" if became.is_shown else "no room in the prompt"
        message = stored.message
        found.append(
            Hit("message", message.text, message.sent_at, entry.score, entry.parts, cut, stored)
        )
    return found


def episodes_found(near: Mapping[str, Recalled], over: Sequence[Episode]) -> list[Hit]:
    """Return the episodes that are near to the question, the nearest first."""
    found = []
    for each in over:
        entry = near[each.first_uid]
        text = each.summary.text if each.summary else ""
        topic = f"{each.summary.topic}. " if each.summary and each.summary.topic else ""
        found.append(Hit("episode", topic + text, each.began_at, entry.score, entry.parts))
    return found
