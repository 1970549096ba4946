"""What a search finds, and what a reply was based on. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple

from memory.domain.chats import ChatRef
from memory.domain.contacts import ContactRow
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
    `TokenMatrix`; empty where there are none. `kinds`: what kinds of thing it tells of. `uses`: how
    many answers used it, the last of them at `used_at`; None where none did.
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
    uses: int = 0
    used_at: datetime | None = None


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
    `asker`: what is kept of the one who asks, None of a stranger.
    """

    has_others: bool
    further: tuple[str, ...] = ()
    has_claims: bool = False
    has_notes: bool = False
    asker: ContactRow | None = None


@dataclass(frozen=True, slots=True)
class Recalled:
    """One memory that was recalled for a prompt, with its score parts (X3).

    `is_shown` is False where the prompt had no room for it, or shows what says the same:
    `repeats` names the message that does.
    """

    kind: Literal["fact", "message", "quote", "episode"]
    item_id: str
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)
    is_shown: bool = True
    repeats: str = ""


UsedKind = Literal["fact", "message", "quote", "episode", "window", "so_far", "open"]
"""Beside what is recalled: lines of the window, what was before it, and what is open."""


@dataclass(frozen=True, slots=True)
class Used:
    """A line that an answer used. `share`: how much of it, in 0..1, as an estimate has it."""

    kind: UsedKind
    item_id: str
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Use:
    """What an answer used of what it was shown; exactly, or by an estimate.

    `beside`: how many lines of each other kind than the recalled ones it was shown. `advice`: how
    it was told to speak; empty where it was not told. `bound`: the estimated tokens that memory was
    held to, as nothing called for it; None where it was not held. `persona`: the name of the
    persona's file; empty for the default. `certainty`: the chance, as memory told it, that what it
    found answers; None where it told none.
    """

    lines: tuple[Used, ...]
    is_exact: bool
    beside: Mapping[str, int] = field(default_factory=dict)
    advice: str = ""
    bound: int | None = None
    persona: str = ""
    certainty: float | None = None

    def share_of(self, kind: str, item_id: str) -> float:
        """Return how much of a line was used; 0 where nothing was."""
        return max(
            (u.share for u in self.lines if (u.kind, u.item_id) == (kind, item_id)), default=0
        )


@dataclass(frozen=True, slots=True)
class Receipt:
    """What one reply was based on. `nodes` is the path the turn took through the graph.

    `missing`: what memory did without. `use`: None where nobody looked for what was used.
    """

    turn_id: str
    reply_uid: str
    query: str
    recalled: tuple[Recalled, ...]
    nodes: tuple[str, ...]
    model: str
    created_at: datetime
    missing: tuple[Part, ...] = ()
    use: Use | None = None

    @property
    def left_out(self) -> int:
        """How many of the recalled memories had no room in the prompt."""
        return sum(not (entry.is_shown or entry.repeats) for entry in self.recalled)

    @property
    def repeats(self) -> Mapping[str, str]:
        """By message, which other one the prompt shows in its stead: it says the same."""
        return {entry.item_id: entry.repeats for entry in self.recalled if entry.repeats}


def use_to_json(use: Use) -> dict[str, Any]:  # Any: a JSON object
    """Return what was used as a JSON object."""
    return {
        "is_exact": use.is_exact,
        "lines": [[each.kind, each.item_id, round(each.share, 2)] for each in use.lines],
        "beside": dict(use.beside),
        "advice": use.advice,
        "bound": use.bound,
        "persona": use.persona,
        "certainty": use.certainty,
    }


def use_from_json(data: Mapping[str, Any]) -> Use:  # Any: a JSON object
    """Read what `use_to_json` wrote."""
    lines = tuple(Used(kind, item_id, share) for kind, item_id, share in data["lines"])
    # Older ones have fewer of these.
    return Use(
        lines,
        data["is_exact"],
        dict(data["beside"]),
        data.get("advice", ""),
        data.get("bound"),
        data.get("persona", ""),
        data.get("certainty"),
    )


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
