"""Where a projection does not agree with the ledger. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

DriftKind = Literal["missing", "extra", "stale"]


@dataclass(frozen=True, slots=True)
class Difference:
    """An entry that is missing, extra, or made of what the ledger does not say any more.

    `items`: what the projection owes while the entry is on its way.
    """

    kind: DriftKind
    entry: str
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """A part of a projection beside the ledger: entries there should be, and those there are.

    `is_one`: its entries depend on each other, so that while one is on its way, all may be.
    """

    expected: int
    present: int
    differences: frozenset[Difference]
    is_one: bool = False
