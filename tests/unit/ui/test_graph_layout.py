"""Names in the picture: none over another, always at the same place, many folded by their kind."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ui.playground.views.graph_layout import (
    LABEL_CHARS,
    MOST_NODES,
    Node,
    folded,
    placed,
    shortened,
)

KINDS = ("person", "pet", "place", "organisation", "thing")
ME = Node("me", "contact", "me")


def nodes(count: int, label: str = "Priya of Leeds") -> list[Node]:
    return [
        Node(str(n), KINDS[n % 5], shortened(label * (1 + n % 3)), "wife") for n in range(count)
    ]


@pytest.mark.parametrize("count", [0, 1, 2, 5, 17, 60])
@pytest.mark.parametrize("label", ["A", "WWWWWWWWWW", "李小龍の友達と家族", "Priya of Leeds"])
def test_no_name_stands_over_another(count: int, label: str) -> None:
    boxes = placed(ME, nodes(count, label))
    assert len(boxes) == count + 1
    assert not [pair for pair in combinations(boxes.values(), 2) if pair[0].overlaps(pair[1])]
    assert max(abs(box.x) for box in boxes.values()) < 1_100


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(max_size=30), max_size=MOST_NODES))
def test_whatever_the_names_are_they_stand_apart_and_stay(labels: list[str]) -> None:
    every = [
        Node(str(n), KINDS[len(label) % 5], shortened(label)) for n, label in enumerate(labels)
    ]
    boxes = placed(ME, every)
    assert not [pair for pair in combinations(boxes.values(), 2) if pair[0].overlaps(pair[1])]
    assert placed(ME, every) == boxes


def test_those_of_a_kind_stand_side_by_side() -> None:
    boxes = placed(ME, nodes(20))
    people = [boxes[str(n)] for n in range(0, 20, 5)]
    assert all(box.x > 0 for box in people)


def test_more_than_fit_are_folded_by_kind() -> None:
    kept, left = folded(nodes(63))
    assert len(kept) + len(left) == MOST_NODES
    assert len(kept) + left.total() == 63
    assert [node.key for node in kept[:2]] == ["0", "1"]
    assert folded(nodes(60)) == (nodes(60), {})
    assert len(shortened("x" * 50)) == LABEL_CHARS
