"""A search through everything that is remembered of a contact, as the agent does it, explained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from graph.stores import Stores
from memory.domain.chats import StoredMessage
from memory.recall.receipts import missing_line
from memory.recall.searching import EpisodeHit, FactHit, MessageHit, Room, SearchResult, search
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
    parts: Mapping[str, float] = field(default_factory=dict)
    cut: str = ""
    said: StoredMessage | None = None


@dataclass(frozen=True, slots=True)
class Search:
    """What a search found, best first by kind, and what was not at hand.

    `is_near`: whether any of it has to do with the question, as far as anybody can tell.
    """

    hits: tuple[Hit, ...] = ()
    missing: str = ""
    is_near: bool = True


async def search_everything(stores: Stores, contact_id: str, query: str) -> Search:
    """Search a contact's memory as their direct chat would; nothing is found for an empty query.

    Raises:
        StoreUnavailable: Postgres cannot be reached.
    """
    settings = stores.settings
    room = Room(Options().recall_limit, settings.memory_tokens)
    found = await search(
        stores.memory, settings.tenant, contact_id, query, stores.clock(), LISTED, room=room
    )
    cuts = _cuts(found)
    every = (*found.facts, *found.messages, *found.episodes, *found.left_out)
    hits = tuple(_hit(each, cuts) for each in every)
    return Search(hits, missing_line(found.missing), found.is_near)


def _cuts(found: SearchResult) -> dict[str | None, str]:
    """Return in words why a prompt would not show a hit."""
    best = len(found.messages)
    best += sum(isinstance(hit, MessageHit) and hit.cut == "room" for hit in found.left_out)
    return {
        None: "",
        "rank": f"not among the best {best}",
        "repeat": "another line says the same",
        "room": "no room in the prompt",
    }


def _hit(hit: FactHit | MessageHit | EpisodeHit, cuts: Mapping[str | None, str]) -> Hit:
    match hit:
        case FactHit():
            kind: Literal["fact", "note"] = "note" if hit.note else "fact"
            at = hit.fact.valid_from
            return Hit(kind, hit.text, at, hit.parts, cuts[hit.cut], hit.source)
        case MessageHit():
            said = hit.stored.message
            return Hit("message", said.text, said.sent_at, hit.parts, cuts[hit.cut], hit.stored)
        case EpisodeHit():
            topic = f"{hit.summary.topic}. " if hit.summary.topic else ""
            text = topic + hit.summary.text
            return Hit("episode", text, hit.episode.began_at, hit.parts)
