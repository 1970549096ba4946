"""What is known of people: observations, and facts with their history. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple
from uuid import UUID, uuid5

_NAMESPACE = UUID("b8a2d0c5-7c0f-5d1e-8f0a-3a1d5f6f0e42")

APART = "/"
"""What says or ends something and is no message is named after one: `<uid>/command`."""

BY_PERSON = "person"
"""Reader of what a person corrected by hand."""

ENDED = f"{APART}ended"
"""Names the end of a fact that nobody recorded, after the message that told the fact."""

Category = Literal["identity", "preference", "constraint", "instruction"]

FactStatus = Literal["active", "closed", "rejected", "repeated", "withdrawn", "retraction"]
"""What became of a statement, or that a row is none.

`closed`: superseded or retracted; `rejected`: something surer was known; `repeated`: it was known;
`withdrawn`: its message says so no more. A `retraction` is kept against what is told late.
"""


MarkKind = Literal["", "pinned", "withheld"]
"""What the owner made of a fact: `pinned` ones are in every prompt, `withheld` ones in none."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One candidate fact read from one message.

    `confidence` and `importance` lie in 0..1. `retracts` closes matching facts instead of adding
    one (value `*` closes any value of the key). `anchor` is where it was said (its audience).
    `read_by` names who read it and in which version, such as "rules/1", a reader's or a model's
    name, several joined by "+", or `BY_PERSON`; `span` is where in the message's text the value
    stands, characters from the first up to the second, exclusive. Neither tells what is stated.
    `until` is when it is over by itself, by what the message says; None where it names no end. Of
    what retracts a mistake it is when that was told: it never was so.
    """

    category: Category
    key: str
    value: str
    confidence: float
    importance: float
    source_uid: str
    stated_at: datetime
    anchor: str
    retracts: bool = False
    read_by: str = ""
    span: tuple[int, int] | None = None
    until: datetime | None = None


def is_by_hand(source_uid: str) -> bool:
    """Tell whether a person corrected a fact by this, by a command or where facts are listed."""
    return APART in source_uid and not source_uid.endswith(ENDED)


@dataclass(frozen=True, slots=True)
class ContactObservations:
    """What one message told about one contact."""

    contact_id: str
    observations: tuple[Observation, ...]


class Stated(NamedTuple):
    """What was stated of a contact under a key, and where."""

    key: str
    value: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact about a contact, bi-temporal: valid in the world, recorded in the store.

    `closed_by`: the message that ended or outdid it; None also where that was not recorded.
    `stated_confidence`: before repetitions raised `confidence`; None where they are the same.
    `read_by` and `span` are as in an `Observation`, empty where nobody recorded them.
    `expires_at`: when it is over by itself; until then it is active, and from then on `valid_to` is
    reached, whatever its status.
    `mark`: what the owner made of it; no part of what is stored of the fact.
    """

    fact_id: str
    tenant: str
    contact_id: str
    category: Category
    key: str
    value: str
    confidence: float
    importance: float
    source_uid: str
    anchor: str
    status: FactStatus
    valid_from: datetime
    valid_to: datetime | None
    recorded_from: datetime
    recorded_to: datetime | None
    closed_by: str | None = None
    stated_confidence: float | None = None
    read_by: str = ""
    span: tuple[int, int] | None = None
    expires_at: datetime | None = None
    mark: MarkKind = ""

    def retraction(self, source_uid: str, stated_at: datetime) -> Observation:
        """Return what takes this fact back, where it was said."""
        return Observation(
            category=self.category,
            key=self.key,
            value=self.value,
            confidence=1.0,
            importance=self.importance,
            source_uid=source_uid,
            stated_at=stated_at,
            anchor=self.anchor,
            retracts=True,
        )


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark on what is known of a contact, by key and value, since when, and what put it there.

    `act` is named as the source of a correction is: `<uid>/...`.
    """

    kind: MarkKind
    key: str
    value: str
    since: datetime
    act: str


def fact_id_of(
    tenant: str, source_uid: str, key: str, value: str, retracts: bool, number: int = 0
) -> str:
    """Return the id of the row `number`, from 0, that says what a message said.

    It follows from what is said alone, so that receipts find it in a store that was made anew; not
    from the contact, whose id may become another one.
    """
    parts = (tenant, source_uid, key, value, str(int(retracts)), str(number))
    return str(uuid5(_NAMESPACE, "\x1f".join(parts)))


@dataclass(frozen=True, slots=True)
class Applied:
    """What some messages came to, the same however often they are applied.

    `activated`: facts that hold because of them; `closed`: those that no longer do.
    """

    activated: tuple[Fact, ...] = ()
    closed: tuple[Fact, ...] = ()
