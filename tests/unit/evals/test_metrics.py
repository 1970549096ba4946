"""Metrics against values worked out by hand, and their bounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.suite.metrics import (
    auroc,
    found_all,
    found_fraction,
    mean,
    percentile,
    ranks_above,
    reciprocal_rank,
    thinned,
)

IDS = st.lists(st.sampled_from("abcdefghij"), unique=True)
EVIDENCE = st.sets(st.sampled_from("abcdefghij"), min_size=1)
SCORES = st.lists(st.floats(-1, 1), min_size=1, max_size=20)


def test_found_fraction_counts_evidence_among_the_first_k() -> None:
    assert found_fraction(["a", "b", "c"], {"a", "c"}, 2) == 0.5
    assert found_fraction(["a", "b", "c"], {"a", "c"}, 3) == 1.0
    assert found_fraction([], {"a"}, 5) == 0.0


def test_found_all_wants_every_piece() -> None:
    assert found_all(["a", "b", "c"], {"a", "c"}, 2) == 0.0
    assert found_all(["a", "b", "c"], {"a", "c"}, 3) == 1.0


def test_reciprocal_rank_is_of_the_first_piece() -> None:
    assert reciprocal_rank(["x", "y", "a", "b"], {"a", "b"}) == pytest.approx(1 / 3)
    assert reciprocal_rank(["x"], {"a"}) == 0.0


@pytest.mark.parametrize(
    ("ranked", "expected"),
    [
        (["new", "old"], 1.0),
        (["old", "new"], 0.0),
        (["new"], 1.0),
        (["old"], 0.0),
        ([], 0.0),
    ],
)
def test_current_must_stand_above_every_stale_one(ranked: list[str], expected: float) -> None:
    assert ranks_above(ranked, {"new"}, {"old"}) == expected


def test_auroc_counts_pairs_and_halves_ties() -> None:
    # pairs (3,2) (3,1) won, (1,2) lost, (1,1) tied: 2.5 of 4
    assert auroc([3.0, 1.0], [2.0, 1.0]) == pytest.approx(0.625)
    assert auroc([1.0], []) is None
    assert auroc([], [1.0]) is None


def test_percentile_is_the_nearest_rank() -> None:
    samples = [15.0, 20.0, 35.0, 40.0, 50.0]
    assert percentile(samples, 0.3) == 20.0
    assert percentile(samples, 0.5) == 35.0
    assert percentile(samples, 1.0) == 50.0
    assert percentile([], 0.5) is None


def test_a_mean_of_nothing_is_not_zero() -> None:
    assert mean([]) is None
    assert mean([1.0, 2.0]) == 1.5


@given(IDS, EVIDENCE, st.integers(1, 12))
def test_rank_metrics_lie_in_0_to_1_and_grow_with_k(
    ranked: list[str], evidence: set[str], k: int
) -> None:
    fraction = found_fraction(ranked, evidence, k)
    assert 0 <= found_all(ranked, evidence, k) <= fraction <= 1
    assert fraction <= found_fraction(ranked, evidence, k + 1)
    assert (reciprocal_rank(ranked, evidence) > 0) == bool(set(ranked) & evidence)


@given(SCORES, SCORES)
def test_auroc_equals_the_count_over_all_pairs(first: list[float], second: list[float]) -> None:
    won = sum((p > n) + 0.5 * (p == n) for p in first for n in second)
    assert auroc(first, second) == pytest.approx(won / (len(first) * len(second)))


@given(SCORES, st.floats(0, 1))
def test_a_percentile_is_one_of_the_samples(samples: list[float], share: float) -> None:
    assert percentile(samples, share) in samples


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=1000))
def test_thinned_samples_are_few_and_keep_their_ends(samples: list[float]) -> None:
    kept = thinned(samples, 50)
    assert kept == sorted(kept)
    assert len(kept) == min(len(samples), 50)
    assert (kept[0], kept[-1]) == (round(min(samples), 4), round(max(samples), 4))
