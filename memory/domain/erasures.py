"""Erasing a person: what would go, what to look for afterwards, and the receipt. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

AskedBy = Literal["cli", "api", "page"]
"""Where somebody asked for it."""


@dataclass(frozen=True, slots=True)
class ErasureExtent:
    """What there is of a person: `counts` by what it is, without those that are none.

    `contacts` are all the ids that stand for them; `threads` are the chats that have to stand still
    meanwhile: their own, and those that they wrote in, were quoted in or are remembered in.
    """

    contacts: tuple[str, ...]
    threads: tuple[str, ...]
    counts: Mapping[str, int]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is kept of them."""
        return not any(self.counts.values())


@dataclass(frozen=True, slots=True)
class Needles:
    """What every store is asked for afterwards; it is kept nowhere.

    `ids` are what the person and their chats are called, long enough to be no word of anybody's;
    `uuids` are uids of messages, ids of threads, turns and facts; `texts` are pieces of what was
    said in messages that went, and in none that stays. `contacts` are all the ids that stand for
    them, however short: looked for where ids of contacts stand, and nowhere else. `threads` are
    those under which LangGraph keeps their chats, whatever a server calls them: likewise.
    """

    contact_id: str
    ids: frozenset[str] = frozenset()
    uuids: frozenset[str] = frozenset()
    texts: tuple[str, ...] = ()
    contacts: frozenset[str] = frozenset()
    threads: frozenset[str] = frozenset()

    def with_uuids(self, *more: str) -> Needles:
        """Return the same with further ids."""
        return replace(self, uuids=self.uuids | set(more))


@dataclass(frozen=True, slots=True)
class Looked:
    """How many places of a store were looked in, and how often something was left, by place."""

    places: int
    left: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Erasure:
    """The receipt of an erasure: no name, no text.

    `contact` is a salted digest of whose, in hex; `counts` say what went. `owed` counts what
    projections have still to bring in line, `aside` what of it failed for good. `probed_at`: when
    the stores were asked for it, in so many `places`; None: not yet, or they could not be. `left`
    is what was found there.
    """

    erasure_id: str
    erased_at: datetime
    asked_by: str
    contact: str
    counts: Mapping[str, int]
    owed: int
    aside: int
    probed_at: datetime | None = None
    places: int = 0
    left: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_done(self) -> bool:
        """Whether every store was asked since, and nothing was found."""
        return self.probed_at is not None and not (self.owed or self.aside or self.left)


_FIRST = ("messages", "chats", "facts", "notes", "imports", "episodes", "open loops")


def told(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return what went, in the order in which it is told: what people know first."""
    rest = sorted(counts.keys() - set(_FIRST))
    return [(name, counts[name]) for name in (*_FIRST, *rest) if name in counts]


STAYS = "what others said stays, in which they may be named; so do this receipt and the tombstones"
"""What no erasure takes, as a receipt says it."""


def probe_line(receipt: Erasure) -> str:
    """Return what became of an erasure's traces, in one line."""
    if receipt.aside:
        return f"failed for good: {receipt.aside} items; see `recollect verify`"
    if receipt.owed:
        return f"on its way: {receipt.owed} items wait for a store"
    if receipt.probed_at is None:
        return "the rest is done; nobody has looked through the stores since"
    if receipt.left:
        found = ", ".join(f"{count} in {place}" for place, count in sorted(receipt.left.items()))
        return f"looked in {receipt.places} places, found {found}"
    return f"looked in {receipt.places} places, found nothing"


def receipt_json(receipt: Erasure) -> dict[str, object]:
    """Return a receipt as a JSON object."""
    return {
        "erasure_id": receipt.erasure_id,
        "erased_at": receipt.erased_at.isoformat(),
        "asked_by": receipt.asked_by,
        "contact_digest": receipt.contact,
        "counts": dict(receipt.counts),
        "owed": receipt.owed,
        "set_aside": receipt.aside,
        "probed_at": receipt.probed_at.isoformat() if receipt.probed_at else None,
        "places": receipt.places,
        "left": dict(receipt.left),
        "probe": probe_line(receipt),
        "done": receipt.is_done,
        "stays": STAYS,
    }
