"""What a projection keeps beside what the ledger asks for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory.domain.drift import Compared, Comparison, Difference, DriftKind, drift_of

ENTRIES = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 2))


def told(kind: DriftKind, key: str) -> Difference:
    """Return a difference that owes its entry."""
    return Difference(kind, key, (key,))


@given(ENTRIES, ENTRIES)
def test_what_is_missing_stale_or_extra_is_told(
    kept: dict[str, int], asked: dict[str, int]
) -> None:
    comparison = Comparison(kept, told)
    for key, made_of in asked.items():
        comparison.ask(key, made_of)
    differences = {
        *(told("missing", key) for key in asked.keys() - kept.keys()),
        *(told("extra", key) for key in kept.keys() - asked.keys()),
        *(told("stale", key) for key in kept.keys() & asked.keys() if kept[key] != asked[key]),
    }
    assert comparison.compared() == Compared(len(asked), len(kept), frozenset(differences))


def test_what_differs_is_missing_extra_or_stale() -> None:
    assert [drift_of(None, 1), drift_of(1, None), drift_of(1, 2)] == ["missing", "extra", "stale"]
