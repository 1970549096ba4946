"""Facts from what a contact wrote, by rules: pure, deterministic, without a model.

Precision before recall: a rule matches only at the start of a clause in which the speaker asserts
something in the first person, so that a sentence about somebody else matches none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Final

from memory.domain.facts import Observation
from memory.facts.predicates import predicate
from memory.facts.reading.rules import (
    constraints,
    german,
    identity,
    partings,
    people,
    pets,
    romance,
    russian,
    settings,
    standing,
    taste,
    work,
)
from memory.facts.reading.rules.clauses import Clause, clauses
from memory.facts.reading.rules.found import Found
from memory.facts.supersession import merge

HEDGED_FACTOR: Final = 0.65

_READERS: Final[tuple[Callable[[Clause], Iterator[Found]], ...]] = (
    identity.read,
    work.read,
    people.read,
    partings.read,
    pets.read,
    taste.read,
    constraints.read,
    settings.read,
    german.read,
    romance.read,
    russian.read,
)


def extract(text: str, *, source_uid: str, stated_at: datetime, anchor: str) -> list[Observation]:
    """Return what the speaker of `text` states about themselves, retractions first.

    Empty for questions, wishes, conditions, jokes, quotes and what is said of third parties.
    """
    told = list(clauses(text))
    read = [
        (found, clause.is_hedged)
        for clause in told
        for reader in _READERS
        for found in reader(clause)
    ]
    read += [(found, False) for found in standing.read(told)]
    observations = []
    for found, is_hedged in read:
        known = predicate(found.key)
        if known is None or (is_hedged and found.retracts):
            continue
        confidence = found.confidence * (HEDGED_FACTOR if is_hedged else 1.0)
        observations.append(
            Observation(
                category=known.category,
                key=found.key,
                value=found.value,
                confidence=round(confidence, 3),
                importance=known.importance,
                source_uid=source_uid,
                stated_at=stated_at,
                anchor=anchor,
                retracts=found.retracts,
            )
        )
    return merge(observations)
