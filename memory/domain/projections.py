"""What is derived of the ledger, and what of it is still to be done. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

ProjectionName = Literal[
    "vectors",
    "tokens",
    "facts",
    "fact_vectors",
    "entities",
    "open_loops",
    "episodes",
    "episode_vectors",
    "contact_states",
    "uses",
]
Wanted = Literal["vectors", "facts", "open_loops", "episodes", "contacts", "uses", "all"]
"""What may be made anew: vectors are those of facts, too, and follow facts."""

FOLLOW_FACTS: Final[tuple[ProjectionName, ...]] = ("fact_vectors", "entities")
"""What is made of facts, contact by contact."""

MADE_IN_PLACE: Final[tuple[ProjectionName, ...]] = (
    "tokens",
    "facts",
    "entities",
    "open_loops",
    "episodes",
    "contact_states",
    "uses",
)
"""What other rules may have made, and ours may add to; token vectors name what made them."""

REBUILT_AS: Final[Mapping[ProjectionName, Wanted]] = {
    "tokens": "vectors",
    "open_loops": "open_loops",
    "episodes": "episodes",
    "contact_states": "contacts",
    "uses": "uses",
}
"""As what a projection is made anew that is not one of facts."""

CONTACT = "contact:"
ANCHOR = "anchor:"
CHAT = "chat:"
TOLD = "told:"
"""A contact of whom facts tell another name or time zone, perhaps."""
ANEW = "anew:"
"""A chat or contact of which all is made again."""


@dataclass(frozen=True, slots=True)
class Generation:
    """One making of a projection: the one that answers, or one that is built to replace it.

    `fingerprint` names what makes it, as an embedder does; empty where that was not recorded.
    """

    projection: ProjectionName
    number: int
    fingerprint: str
    is_serving: bool


@dataclass(frozen=True, slots=True)
class Owed:
    """An item that a projection has to be brought in line with, as somebody took it.

    An item is a message's uid, `contact:ID`, `anchor:ANCHOR`, `chat:THREAD_ID`, or `told:` or
    `anew:` and one's id. `version` rises when it is owed again meanwhile.
    """

    tenant: str
    item: str
    version: int


@dataclass(frozen=True, slots=True)
class SetAside:
    """An item that failed for good, and why."""

    projection: ProjectionName
    generation: int
    tenant: str
    item: str
    reason: str


@dataclass(frozen=True, slots=True)
class Arrears:
    """How many items of a projection wait, and how many were set aside."""

    waiting: int
    set_aside: int
