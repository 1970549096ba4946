"""What kinds of thing a message tells of, sure or not, and of whomever it tells them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory.domain.facts import Observation
from memory.domain.readings import Kinds, Span

LEAST: Final = 0.1
"""The chance from which a kind is kept: a search weighs it, and nobody takes it for a fact."""


def kinds_in(spans: Sequence[Span], observations: Sequence[Observation]) -> Kinds:
    """Return the kinds that were marked or observed, each with the best chance for it.

    A kind is a key of the vocabulary without its noun: `favorite` for `favorite:color`.
    """
    found: dict[str, float] = {}
    told = [(span.key.partition(".")[0], span.confidence) for span in spans]
    told += [(seen.key.partition(":")[0], seen.confidence) for seen in observations]
    for key, chance in told:
        if chance >= LEAST:
            found[key] = max(found.get(key, 0.0), round(chance, 2))
    return found
