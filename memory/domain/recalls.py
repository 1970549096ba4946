"""What a search finds, and what a reply was based on. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple

from memory.domain.chats import ChatRef
from memory.domain.readings import NO_KINDS, Kinds

Part = Literal["vectors", "facts", "embedder", "rewriting", "reranking"]
"""What memory does without while it is missing: another store, the embedding model, or what a chat
model adds to a search."""


@dataclass(frozen=True, slots=True)
class VectorItem:
    """A vector to index: an id, where it belongs, and nothing of its text."""

    item_id: str
    anchor: str
    vector: tuple[float, ...]
    metadata: Mapping[str, str | int | float | bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TokenMatrix:
    """The vectors of a text's word pieces: int8 of shape (pieces, `width`), row by row.

    127 is a length of one. `weights`: how much each piece counts; `pieces`: its number in the
    vocabulary; one each, or none.
    """

    vectors: bytes
    width: int
    weights: tuple[float, ...] = ()
    pieces: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Embedded:
    """A text's vector and, where the embedder gives them, those of its pieces."""

    vector: tuple[float, ...]
    tokens: TokenMatrix | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A search result: an id and its raw score, higher is better."""

    item_id: str
    score: float


class Line(NamedTuple):
    """A message that may be shown, with what ranking reads of it.

    `position` is that in its thread. `terms` are the query's that it holds, each with how often;
    `length` counts all of its terms. `text` may be cut. `tokens`: the vectors of its pieces, as in
    `TokenMatrix`; empty where there are none. `kinds`: what kinds of thing it tells of.
    """

    uid: str
    thread_id: str
    position: int
    sent_at: datetime
    sender_name: str
    contact_id: str = ""
    text: str = ""
    is_agent: bool = False
    terms: Mapping[str, int] = {}
    length: int = 0
    tokens: bytes = b""
    kinds: Kinds = NO_KINDS


@dataclass(frozen=True, slots=True)
class Lexical:
    """What a search by words finds: the best by BM25, and what the scope is like.

    `documents` and `average` (terms each) describe what was searched, `spread` says in how many
    documents each of the query's terms stands.
    """

    hits: tuple[Hit, ...] = ()
    documents: int = 0
    average: float = 1.0
    spread: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Audience:
    """Whether more was said where one asks, and the `further` anchors that one may hear, too.

    `has_claims`: the one who asks has told something of others. `has_notes`: the tenant has any.
    """

    has_others: bool
    further: tuple[str, ...] = ()
    has_claims: bool = False
    has_notes: bool = False


@dataclass(frozen=True, slots=True)
class Recalled:
    """One memory that was recalled for a prompt, with its score parts (X3).

    `is_shown` is False where the prompt had no room for it, or shows what says the same:
    `repeats` names the message that does.
    """

    kind: Literal["fact", "message", "quote"]
    item_id: str
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)
    is_shown: bool = True
    repeats: str = ""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What one reply was based on. `nodes` is the path the turn took through the graph.

    `missing`: what memory did without.
    """

    turn_id: str
    reply_uid: str
    query: str
    recalled: tuple[Recalled, ...]
    nodes: tuple[str, ...]
    model: str
    created_at: datetime
    missing: tuple[Part, ...] = ()

    @property
    def left_out(self) -> int:
        """How many of the recalled memories had no room in the prompt."""
        return sum(not (entry.is_shown or entry.repeats) for entry in self.recalled)

    @property
    def repeats(self) -> Mapping[str, str]:
        """By message, which other one the prompt shows in its stead: it says the same."""
        return {entry.item_id: entry.repeats for entry in self.recalled if entry.repeats}


@dataclass(frozen=True, slots=True)
class Filed:
    """A receipt with the chat that the reply went to and the contact whom it answered."""

    receipt: Receipt
    chat: ChatRef
    contact_id: str

    @property
    def chat_name(self) -> str:
        """The chat as people and policies name it: `CHANNEL/ACCOUNT/CHAT_ID`."""
        return f"{self.chat.channel}/{self.chat.account}/{self.chat.chat_id}"
