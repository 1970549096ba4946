"""Labels: macro-F1 and its parts, computed by hand."""

import pytest

from evals.mood.cases import MoodCase
from evals.mood.metrics import accuracy, by_label, macro_f1
from evals.mood.scores import Labelled, score

TRUE = ["sad", "sad", "sad", "neutral", "excited"]
FOUND = ["sad", "sad", "neutral", "neutral", "sad"]


def test_by_label() -> None:
    figures = by_label(TRUE, FOUND)
    assert figures["sad"] == pytest.approx(
        {"precision": 2 / 3, "recall": 2 / 3, "f1": 2 / 3, "support": 3}
    )
    assert figures["neutral"] == pytest.approx(
        {"precision": 1 / 2, "recall": 1, "f1": 2 / 3, "support": 1}
    )
    assert figures["excited"] == {"precision": None, "recall": 0, "f1": 0, "support": 1}


def test_macro_f1_is_the_plain_mean_over_labels() -> None:
    assert macro_f1(TRUE, FOUND) == pytest.approx((2 / 3 + 2 / 3 + 0) / 3)
    assert accuracy(TRUE, FOUND) == pytest.approx(3 / 5)


def test_nothing_measured_is_none_never_zero() -> None:
    assert macro_f1([], []) is None
    assert accuracy([], []) is None


def test_items_name_the_label_that_was_said_and_hold_no_text() -> None:
    case = MoodCase(id="m1", text="secret", label="sad")
    (item,) = score([Labelled(case, "neutral", 0.61)]).items
    assert (item.case, item.scores, item.groups) == ("m1", {"accuracy": 0.0}, {"label": "sad"})
    assert item.found == ({"id": "neutral", "score": 0.61},)
    assert "secret" not in repr(item)
