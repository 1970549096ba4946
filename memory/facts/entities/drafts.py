"""An entity while it is found out who is meant, and what it comes to. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID, uuid5

from memory.domain.entities import Entity, EntityType, Tie
from memory.domain.readings import ThirdPartyClaim
from memory.facts.entities.claimed import claims_in
from memory.facts.entities.nouns import canonical_of, may_be_one

_NAMESPACE: Final = UUID("5b4d8f0e-2b0b-5c55-9c53-7c1d9b0a6f21")

Words = tuple[str, ...]
"""A name, folded."""


class Mention(NamedTuple):
    """When a message names an entity, and how."""

    at: datetime
    uid: str
    said: str


@dataclass(eq=False, slots=True)
class Draft:
    """Somebody or something, as far as messages were looked at.

    `kinship` tells people of one name apart; `holder` is whose relative a claim makes it;
    `misnomers` are names that a correction took back: it goes by none of them any more.
    """

    type: EntityType
    kinship: str = ""
    relation: str = ""
    holder: Draft | None = None
    names: dict[Words, str] = field(default_factory=dict)
    nouns: dict[str, None] = field(default_factory=dict)
    misnomers: dict[str, None] = field(default_factory=dict)
    ties: list[Tie] = field(default_factory=list)
    mentions: dict[str, Mention] = field(default_factory=dict)
    claims: list[ThirdPartyClaim] = field(default_factory=list)

    @property
    def first(self) -> Mention:
        """The mention that its id follows from: none that comes later changes it."""
        return min(self.mentions.values())

    @property
    def name(self) -> str:
        """The longest of its names, or else the noun that it goes by."""
        if self.names:
            return self.names[max(self.names, key=len)]
        return self._noun

    @property
    def _noun(self) -> str:
        return next(reversed(self.nouns), "")

    def note(self, at: datetime, uid: str, said: str) -> None:
        """Remember that a message mentions it, by what word."""
        known = self.mentions.get(uid)
        mention = Mention(at, uid, said)
        self.mentions[uid] = mention if known is None else min(known, mention)

    def goes_by(self, words: Words) -> bool:
        """Tell whether this is its name, or a longer or shorter form of it."""
        name = set(words)
        return any(name <= set(known) or set(known) <= name for known in self.names)

    def fits(self, noun: str) -> bool:
        """Tell whether it may be meant by a noun of its kinship."""
        return all(may_be_one(noun, known) for known in self.nouns)

    def is_called(self, noun: str) -> bool:
        """Tell whether it went by this noun, or one that means the same."""
        return any(canonical_of(noun) == canonical_of(known) for known in self.nouns)

    def held_at(self, at: datetime) -> bool:
        """Tell whether some tie, if it has any, held then."""
        return not self.ties or any(
            tie.since <= at and (tie.until is None or at < tie.until) for tie in self.ties
        )

    def metadata(self) -> dict[str, str]:
        """Return what is known of it beside names: a person's relation, a pet's kind."""
        noun = canonical_of(self._noun)
        if self.type == "pet":
            return {"kind": noun} if noun else {}
        if self.type != "person":
            return {}
        relation = noun or self.relation
        if relation and self.ties and all(tie.until is not None for tie in self.ties):
            relation = f"former {relation}"
        if relation and self.holder is not None:
            relation = f"{self.holder.name}'s {relation}"
        return {"relation": relation} if relation else {}


def drawn_up(tenant: str, drafts: Sequence[Draft], objects: Mapping[int, Draft]) -> list[Entity]:
    """Return drafts as entities, by their first mention.

    `objects`: which of them a claim's value is, by the `id()` of the claim.
    """
    ordered = sorted(drafts, key=lambda draft: (draft.first, draft.type, draft.kinship))
    alike: Counter[tuple[str, ...]] = Counter()
    ids: dict[Draft, str] = {}
    for draft in ordered:
        parts = (tenant, draft.type, draft.first.uid, draft.first.said.casefold(), draft.kinship)
        ids[draft] = str(uuid5(_NAMESPACE, "\x1f".join((*parts, str(alike[parts])))))
        alike[parts] += 1
    held = {claim: ids[draft] for claim, draft in objects.items()}
    return [_entity(tenant, draft, ids[draft], held) for draft in ordered]


def _entity(tenant: str, draft: Draft, entity_id: str, objects: Mapping[int, str]) -> Entity:
    said = [*draft.names.values(), *draft.nouns, *draft.misnomers]
    return Entity(
        entity_id=entity_id,
        type=draft.type,
        name=draft.name,
        aliases=tuple(each for each in dict.fromkeys(said) if each != draft.name),
        metadata=draft.metadata(),
        ties=tuple(draft.ties),
        mentions=tuple(mention.uid for mention in sorted(draft.mentions.values())),
        claims=claims_in(tenant, draft.claims, objects),
    )
