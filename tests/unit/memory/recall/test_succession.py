"""What came later about the same thing as what fits best gains on it."""

from __future__ import annotations

import numpy as np
import pytest

from memory.recall.ranking.late import directions
from memory.recall.ranking.succession import FIRST, FOLLOWS, FOLLOWS_NOW, succession
from memory.recall.ranking.wording import asks_now

SENT = np.arange(3.0)
ABOUT = np.array([[1, 0], [1, 0], [0, 1]], np.float32)


def test_a_later_line_about_the_same_gains_and_no_other() -> None:
    found = succession(np.array([2.0, 0.0, 0.0]), SENT, ABOUT, is_now=False)
    assert found[FOLLOWS][1] > 0.5
    assert found[FOLLOWS][0] == found[FOLLOWS][2] == 0
    assert not found[FOLLOWS_NOW].any()
    asked = succession(np.array([2.0, 0.0, 0.0]), SENT, ABOUT, is_now=True)
    assert (asked[FOLLOWS_NOW] == asked[FOLLOWS]).all()


def test_what_was_said_before_or_at_once_gains_nothing() -> None:
    for sent in (SENT[::-1], np.zeros(3)):
        assert succession(np.array([2.0, 0.0, 0.0]), sent, ABOUT, is_now=True)[FOLLOWS][1] == 0


def test_beyond_the_first_lines_and_without_pieces_there_is_none() -> None:
    many = FIRST + 5
    about = np.ones((many, 1), np.float32)
    scores = -np.arange(many, dtype=np.float64)
    found = succession(scores, np.arange(many, dtype=np.float64), about, is_now=False)[FOLLOWS]
    assert found[1:FIRST].all()
    assert not found[FIRST:].any()
    nothing = np.zeros((many, 0), np.float32)
    assert not succession(scores, np.arange(many * 1.0), nothing, is_now=False)[FOLLOWS].any()
    assert succession(np.zeros(0), np.zeros(0), nothing[:0], is_now=False)[FOLLOWS].shape == (0,)


def test_what_a_line_is_about_is_what_sets_it_apart() -> None:
    lines = [np.array(row, np.int8).tobytes() for row in ([[127, 0], [127, 0]], [[0, 127]])]
    found = directions([lines[0], b"", lines[1], lines[0]], 2)
    assert not found[1].any()
    assert np.allclose(np.linalg.norm(found[[0, 2, 3]], axis=1), 1)
    assert found[0] @ found[3] > 0.99 > 0 > found[0] @ found[2]


@pytest.mark.parametrize(
    ("question", "is_now"),
    [
        ("Where does she live now?", True),
        ("Wo wohnt sie inzwischen?", True),
        ("¿Dónde vive actualmente?", True),
        ("Onde ela mora agora?", True),
        ("Где она сейчас живёт?", True),
        ("Where did she live in 2020?", False),
        ("Wer war auf dem Fest?", False),
    ],
)
def test_a_question_for_what_is_so_now_is_seen(question: str, is_now: bool) -> None:
    assert asks_now(question) is is_now
