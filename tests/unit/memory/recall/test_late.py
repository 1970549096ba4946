"""The pieces of a question that are compared."""

from __future__ import annotations

import numpy as np

from memory.domain.recalls import TokenMatrix
from memory.recall.ranking.late import Asking


def matrix(*pieces: tuple[int, float]) -> TokenMatrix:
    """Return pieces, each with its number and weight, each in a direction of its own."""
    vectors = np.eye(8, dtype=np.int8)[: len(pieces)] * 127
    return TokenMatrix(
        vectors.tobytes(), 8, tuple(w for _, w in pieces), tuple(n for n, _ in pieces)
    )


def test_what_is_said_over_and_over_is_compared_once_and_counts_less() -> None:
    asking = Asking.of([matrix((7, 3.0), (9, 4.0), (9, 5.0), (9, 2.0))])
    assert asking is not None
    assert [int(row.argmax()) for row in asking.vectors] == [0, 2], "where it counts most"
    often = 5 / (1 + np.log(3))
    np.testing.assert_allclose(asking.weights, np.array([3, often]) / (3 + often), rtol=1e-5)


def test_what_is_said_once_keeps_its_weight_and_its_order() -> None:
    asking = Asking.of([matrix((1, 1.0), (2, 3.0)), matrix((3, 4.0))])
    assert asking is not None
    np.testing.assert_allclose(asking.weights, [0.125, 0.375, 0.5])


def test_pieces_without_a_number_are_all_compared() -> None:
    asking = Asking.of([TokenMatrix(bytes([127, 0, 127, 0]), 2, (1.0, 1.0))])
    assert asking is not None
    assert len(asking.weights) == 2
