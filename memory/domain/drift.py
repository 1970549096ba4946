"""Where a projection does not agree with the ledger. Pure."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

DriftKind = Literal["missing", "extra", "stale"]
_Key = TypeVar("_Key", bound=Hashable)


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


def drift_of(kept: object, wanted: object) -> DriftKind:
    """Return how an entry differs from the one wanted; None where there is, or should be, none."""
    if kept is None:
        return "missing"
    return "extra" if wanted is None else "stale"


class Comparison(Generic[_Key]):
    """What a projection keeps, beside what the ledger asks for entry by entry, each once.

    `kept`: what each entry was made of. `difference` tells one of an entry that is not in order.
    """

    def __init__(
        self, kept: Mapping[_Key, object], difference: Callable[[DriftKind, _Key], Difference]
    ) -> None:
        """Nothing has been asked for yet."""
        self._unasked = dict(kept)
        self._difference = difference
        self._present = len(kept)
        self._expected = 0
        self._differences: set[Difference] = set()

    def ask(self, key: _Key, made_of: object) -> None:
        """Look for an entry, and whether it is made of this."""
        self._expected += 1
        if key not in self._unasked:
            self._differences.add(self._difference("missing", key))
        elif self._unasked.pop(key) != made_of:
            self._differences.add(self._difference("stale", key))

    def compared(self) -> Compared:
        """Return what was found; what nothing asked for is extra."""
        extra = {self._difference("extra", key) for key in self._unasked}
        return Compared(self._expected, self._present, frozenset(self._differences | extra))
