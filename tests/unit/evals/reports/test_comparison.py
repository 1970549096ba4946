"""Two results compared: what is noise, what is not, and that it repeats."""

from __future__ import annotations

import numpy as np
import pytest

from evals.reports.bootstrap import interval, units_of, weighted_auroc, weights
from evals.reports.comparison import compare
from evals.reports.saved import SavedSystem
from evals.suite.metrics import auroc
from tests.unit.evals.reports.sample import item, scores, system


def saved(drawn: dict[tuple[str, int], float]) -> SavedSystem:
    return SavedSystem.model_validate(system(drawn))


def test_identical_runs_differ_by_nothing() -> None:
    run = saved(scores(10, 20, 1))
    found = compare("recall", run, run, 500, 0)
    change = found.metrics["frac@10"]
    assert (found.matched, found.only_a, found.only_b, found.unit) == (200, 0, 0, "case")
    assert change.difference == 0
    assert change.interval is not None
    assert (change.interval.low, change.interval.high, change.verdict) == (0, 0, "noise")


def test_a_clear_gain_is_found_and_its_reverse_is_a_loss() -> None:
    before, after = saved(scores(10, 20, 1)), saved(scores(10, 20, 1, gain=0.1))
    gained = compare("recall", before, after, 500, 0)
    assert gained.metrics["frac@10"].verdict == "better"
    assert {c["frac@10"].verdict for c in gained.by["category"].values()} == {"better"}
    assert compare("recall", after, before, 500, 0).metrics["frac@10"].verdict == "worse"


def test_another_draw_of_the_same_quality_is_noise() -> None:
    rng = np.random.default_rng(5)
    base = scores(12, 30, 1)
    shaken = {key: float(value + rng.normal(0, 0.05)) for key, value in base.items()}
    assert compare("recall", saved(base), saved(shaken), 1000, 0).metrics["mrr"].verdict == "noise"


def test_what_helps_one_conversation_only_is_noise_when_cases_are_drawn() -> None:
    base = scores(9, 40, 1)
    lucky = {key: value + (0.3 if key[0] == "case 0" else 0) for key, value in base.items()}
    found = compare("recall", saved(base), saved(lucky), 1000, 0)
    assert found.unit == "case"
    assert found.metrics["frac@10"].verdict == "noise"
    one_chat = [
        saved({("one", number): value for number, value in enumerate(drawn.values())})
        for drawn in (base, lucky)
    ]
    by_item = compare("recall", one_chat[0], one_chat[1], 1000, 0)
    assert by_item.unit == "item"
    assert by_item.metrics["frac@10"].verdict == "better"


def test_seeds_repeat_and_differ() -> None:
    a, b = saved(scores(10, 20, 1)), saved(scores(10, 20, 2))
    one, again, other = (compare("recall", a, b, 300, seed) for seed in (1, 1, 2))
    assert one == again
    assert one.metrics["mrr"].interval != other.metrics["mrr"].interval


def test_items_without_a_partner_are_counted_and_left_out() -> None:
    base = scores(2, 10, 1)
    fewer = {key: value for key, value in base.items() if key != ("case 0", 3)}
    found = compare("recall", saved(base), saved(fewer | {("new", 0): 0.0}), 200, 0)
    assert (found.matched, found.only_a, found.only_b) == (19, 1, 1)
    assert found.metrics["frac@10"].difference == 0


def test_metrics_that_are_no_mean_over_items_have_no_interval() -> None:
    run = saved(scores(3, 10, 1))
    odd = run.model_copy(update={"metrics": run.metrics | {"mrr": 0.99}})
    found = compare("recall", run, odd, 200, 0)
    assert found.metrics["search_ms_p50"].verdict == "no items"
    assert (found.metrics["mrr"].verdict, found.metrics["mrr"].b) == ("no items", 0.99)
    assert found.metrics["frac@10"].verdict == "noise"


def test_too_few_items_say_so() -> None:
    run = saved(scores(1, 5, 1))
    assert compare("recall", run, run, 200, 0).metrics["frac@10"].verdict == "too few"


def test_less_is_better_where_the_metric_says_so() -> None:
    def run(pk: float) -> SavedSystem:
        items = [item("c", n, 0.5) | {"scores": {"pk": pk}} for n in range(20)]
        return SavedSystem.model_validate({"metrics": {"pk": pk}, "items": items})

    assert compare("episodes", run(0.4), run(0.3), 200, 0).metrics["pk"].verdict == "better"


def test_abstention_is_drawn_from_confidences() -> None:
    labels = [float(n % 2) for n in range(60)]
    rng = np.random.default_rng(1)
    noisy = [float(label * 0.2 + rng.uniform()) for label in labels]

    def run(confidences: list[float]) -> SavedSystem:
        items = [
            item(f"case {n % 10}", n, 0.5)
            | {"scores": {"confidence": confidence, "is_answerable": label}}
            for n, (confidence, label) in enumerate(zip(confidences, labels, strict=True))
        ]
        figure = auroc(confidences[1::2], confidences[0::2])
        return SavedSystem.model_validate({"metrics": {"abstain_auroc": figure}, "items": items})

    change = compare("recall", run(noisy), run(labels), 500, 0).metrics["abstain_auroc"]
    assert change.a == pytest.approx(auroc(noisy[1::2], noisy[0::2]))
    assert (change.b, change.verdict, change.items) == (1.0, "better", 60)


def test_weighted_auroc_is_the_auroc_of_repeated_items() -> None:
    rng = np.random.default_rng(3)
    marks = rng.integers(0, 5, 30).astype(np.float64)  # ties among them
    positive = rng.integers(0, 2, 30).astype(np.bool_)
    block = rng.integers(0, 4, (5, 30)).astype(np.float64)
    for row, area in zip(block, weighted_auroc(block, marks, positive), strict=True):
        times = row.astype(int)
        repeated, labels = np.repeat(marks, times), np.repeat(positive, times)
        assert area == pytest.approx(auroc(repeated[labels].tolist(), repeated[~labels].tolist()))


def test_intervals_of_means_cover_the_truth_about_as_often_as_they_say() -> None:
    # Normal differences with a known mean: the expanded interval must not be too narrow for ten.
    rng = np.random.default_rng(11)
    units = units_of([f"case {n}" for n in range(10)])
    block = np.vstack(list(weights(units, 2000, 0)))
    held = 0
    for _ in range(1000):
        sample = rng.normal(0.0, 1.0, 10)
        bounds = interval(block @ sample / block.sum(axis=1), 10)
        assert bounds is not None
        held += bounds.low <= 0 <= bounds.high
    assert 0.93 <= held / 1000 <= 0.97


def test_weights_draw_whole_cases() -> None:
    units = units_of([f"case {n // 3}" for n in range(30)])
    (block,) = weights(units, 50, 0)
    assert (units.kind, units.count, block.shape) == ("case", 10, (50, 30))
    assert (block[:, 0::3] == block[:, 1::3]).all()
    assert (block.sum(axis=1) == 30).all()


def test_an_item_counts_under_each_of_its_tags() -> None:
    items = [item("c", n, 0.5) | {"groups": {"tag": "name, pet"}} for n in range(20)]
    run = SavedSystem.model_validate(
        {
            "metrics": {"mrr": 0.25},
            "by": {"tag": {"name": {"mrr": 0.25}, "pet": {"mrr": 0.25}, "na": {"mrr": 0.0}}},
            "items": items,
        }
    )
    found = compare("recall", run, run, 200, 0).by["tag"]
    assert (found["name"]["mrr"].items, found["pet"]["mrr"].items) == (20, 20)
    assert found["na"]["mrr"].verdict == "no items"
