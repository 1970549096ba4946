"""People and things in a contact's life (C7), and what is claimed of them (X6). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from memory.domain.facts import FactStatus

EntityType = Literal["person", "pet", "place", "organisation", "thing"]

NAMED: Final = "named"
"""The key of a claim that its holder, a noun such as "wife", has the value for a name."""

ACQUAINTED: Final = "acquaintance"
"""The relation of whoever is named without one."""


@dataclass(frozen=True, slots=True)
class Tie:
    """What binds an entity to the contact: `spouse`, `home`, `relative`.

    `fact_id`: the fact that tells it; empty where only a noun of a message does.
    """

    relation: str
    source_uid: str
    since: datetime
    until: datetime | None = None
    fact_id: str = ""


@dataclass(frozen=True, slots=True)
class EntityClaim:
    """What a message says of an entity: the claim of who wrote it, nobody's fact.

    `status` is as of facts: a later claim of a key with one value closes the one before.
    `object_id`: the entity that the value is, where it is one.
    """

    claim_id: str
    key: str
    value: str
    confidence: float
    importance: float
    source_uid: str
    anchor: str
    status: FactStatus
    since: datetime
    until: datetime | None = None
    closed_by: str | None = None
    object_id: str = ""


@dataclass(frozen=True, slots=True)
class Entity:
    """Somebody or something that a contact's messages tell of, under whatever names.

    `aliases` are its names and nouns as they were said, without `name`. `metadata`: `relation` of a
    person ("wife"), `kind` of a pet ("dog"). `mentions` are uids of messages, oldest first.
    """

    entity_id: str
    type: EntityType
    name: str
    aliases: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)
    ties: tuple[Tie, ...] = ()
    mentions: tuple[str, ...] = ()
    claims: tuple[EntityClaim, ...] = ()

    @property
    def label(self) -> str:
        """The entity as people read it: `Priya (wife)`."""
        what = self.metadata.get("relation") or self.metadata.get("kind", "")
        is_said = not what or what.casefold() == self.name.casefold()
        return self.name if is_said else f"{self.name} ({what})"
