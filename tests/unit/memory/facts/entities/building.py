"""Facts and claims as a scripted reader tells them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from memory.domain.entities import Entity
from memory.domain.facts import Fact, Observation
from memory.domain.readings import ThirdPartyClaim, ToldOf
from memory.facts.entities.answering import Answer, answers
from memory.facts.entities.concerned import NAMING_KEYS, holders_asked
from memory.facts.entities.linking import ENTITY_KEYS, entities_of
from memory.facts.predicates import PREDICATES
from memory.facts.supersession import plan

T0 = datetime(2026, 5, 3, 12, tzinfo=UTC)
ANCHOR = "contact:web:ana"


def claim(
    holder: str,
    key: str,
    value: str,
    at: int = 0,
    *,
    confidence: float = 0.8,
    ended: bool = False,
    anchor: str = ANCHOR,
) -> ThirdPartyClaim:
    """Return what a message says of somebody, `at` minutes after T0; its uid is `u<at>`."""
    when = T0 + timedelta(minutes=at)
    return ThirdPartyClaim(holder, key, value, confidence, f"u{at}", when, anchor, ended)


def facts(*told: tuple[str, str, int], anchor: str = ANCHOR) -> list[Fact]:
    """Return the history of facts (key, value, minutes after T0).

    `-value` ends one, `~value` says that one was wrong.
    """
    messages = []
    for key, value, at in told:
        known = PREDICATES[key]
        messages.append(
            [
                Observation(
                    known.category,
                    key,
                    value.lstrip("-~"),
                    0.95,
                    known.importance,
                    f"u{at}",
                    T0 + timedelta(minutes=at),
                    anchor,
                    value.startswith(("-", "~")),
                    until=T0 if value.startswith("~") else None,
                )
            ]
        )
    rows = plan("t", "web:ana", [], messages, T0 + timedelta(days=1)).inserted
    return [row for row in rows if row.status != "retraction"]


def linked(known: list[Fact], *claims: ThirdPartyClaim) -> dict[str, Entity]:
    """Return the entities by label."""
    found = entities_of("t", known, claims)
    by_label = {entity.label: entity for entity in found}
    assert len(by_label) == len(found), [entity.label for entity in found]
    return by_label


def of_those(question: str, known: list[Fact], told: Sequence[ThirdPartyClaim]) -> list[Answer]:
    """Return what answers a question by the claims of those alone of whom it may ask."""
    pairs = {ToldOf(c.holder, c.value if c.key in NAMING_KEYS else "") for c in told}
    of = [fact for fact in known if fact.key in ENTITY_KEYS]
    holders = holders_asked(question, of, sorted(pairs))
    read = [each for each in told if each.holder in holders]
    return answers(question, entities_of("t", of, read)) if holders else []


def held(entity: Entity) -> dict[str, str]:
    """Return what is claimed of an entity and holds."""
    return {each.key: each.value for each in entity.claims if each.status == "active"}
