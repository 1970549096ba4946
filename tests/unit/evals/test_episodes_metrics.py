"""Boundaries: Pk, WindowDiff and exact matches, computed by hand."""

import pytest

from evals.episodes.cases import Dialogue, DialogueTurn
from evals.episodes.metrics import Matches, exact, match, pk, window_size, windowdiff
from evals.episodes.scores import Segmented, score


def test_window_is_half_the_mean_true_segment_rounded_half_up() -> None:
    assert window_size(8, [4]) == 2
    assert window_size(10, [5]) == 3  # 2.5
    assert window_size(9, [3, 6]) == 2  # 1.5
    assert window_size(4, [1, 2, 3]) == 1  # 0.5, never none
    assert window_size(6, []) == 3


def test_a_perfect_segmentation_has_no_error() -> None:
    assert pk(12, [4, 8], [4, 8]) == 0
    assert windowdiff(12, [4, 8], [4, 8]) == 0


def test_a_missed_boundary() -> None:
    # k = 2; six pairs (0,2) .. (5,7); those across turn 4 are (2,4) and (3,5).
    assert pk(8, [4], []) == pytest.approx(2 / 6)
    assert windowdiff(8, [4], []) == pytest.approx(2 / 6)


def test_a_boundary_one_turn_late() -> None:
    # True: (2,4), (3,5) are apart. Found at 5: (3,5), (4,6). Wrong: (2,4) and (4,6).
    assert pk(8, [4], [5]) == pytest.approx(2 / 6)
    assert windowdiff(8, [4], [5]) == pytest.approx(2 / 6)


def test_windowdiff_sees_two_boundaries_for_one_where_pk_does_not() -> None:
    # Found 4 and 5. Windows: (2,4) holds 4; (3,5) holds 4 and 5; (4,6) holds 5.
    assert pk(8, [4], [4, 5]) == pytest.approx(1 / 6)
    assert windowdiff(8, [4], [4, 5]) == pytest.approx(2 / 6)


def test_a_dialogue_of_one_turn_cannot_be_measured() -> None:
    assert pk(1, [], []) is None
    assert windowdiff(1, [], []) is None


def test_exact_matches() -> None:
    assert match([4, 8, 12], [4, 9]) == Matches(1, 2, 3)
    assert exact(Matches(1, 2, 3)) == pytest.approx((1 / 2, 1 / 3, 2 / 5))
    assert exact(Matches(0, 0, 3)) == (None, 0.0, 0.0)
    assert exact(Matches(0, 0, 0)) == (None, None, None)


def dialogue(name: str, of: str, turns: int, *boundaries: int) -> Dialogue:
    made = tuple(DialogueTurn(id=str(n), text="x") for n in range(turns))
    return Dialogue(case_id=name, set=of, turns=made, boundaries=boundaries)


def test_errors_are_averaged_over_dialogues_and_boundaries_pooled() -> None:
    result = score(
        [
            Segmented(dialogue("a", "s", 8, 4), (4,)),
            Segmented(dialogue("b", "s", 8, 4), ()),
            Segmented(dialogue("c", "t", 12, 4, 8), (4, 8, 10)),
        ]
    )
    of_s = result.by["set"]["s"]
    assert of_s["pk"] == pytest.approx((0 + 2 / 6) / 2)
    assert (of_s["precision"], of_s["recall"]) == (1.0, 0.5)
    assert result.metrics["f1"] == pytest.approx(2 * 3 / (4 + 4))
    assert result.metrics["dialogues"] == 3
    assert [item.scores["pk"] for item in result.items][:2] == [0, pytest.approx(2 / 6)]
    assert result.items[2].evidence == ("4", "8")


def test_where_a_topic_may_begin_or_not_counts_neither_way() -> None:
    turns = tuple(DialogueTurn(id=str(n), text="x") for n in range(8))
    case = Dialogue(case_id="a", turns=turns, boundaries=(4,), either=(2, 6))
    metrics = score([Segmented(case, (2, 4))]).metrics
    assert (metrics["precision"], metrics["recall"]) == (1, 1)


def test_nothing_measured_is_none_never_zero() -> None:
    assert score([]).metrics == {
        "dialogues": 0.0,
        "pk": None,
        "windowdiff": None,
        "precision": None,
        "recall": None,
        "f1": None,
    }
