"""The fit of breadth: it learns what tells lists, and a page's question counts less."""

from __future__ import annotations

import numpy as np

from scripts.fit_breadth import Asked, fit, report


def _asked(chat: str) -> list[Asked]:
    return [Asked("which", several, chat, "en") for several in (True, False) * 20]


def _rows(sign: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return a vector of one number, which tells lists by its sign, and a wording that does not."""
    draw = np.random.default_rng(3)
    told = np.array([sign, -sign] * 20) + draw.normal(0, 0.2, 40)
    return np.stack([told, np.zeros(40)], 1)


def test_a_chat_outweighs_pages_that_say_the_opposite() -> None:
    rows = np.vstack([_rows(1.0), _rows(-1.0)])
    direction, wording, _ = fit(rows, [*_asked("a"), *_asked("")])
    assert direction > 0.5
    assert wording == 0


def test_the_figures_are_those_of_each_chat_by_the_others() -> None:
    rows = np.vstack([_rows(1.0), _rows(1.0), _rows(-1.0)])
    told = report([*_asked("a"), *_asked("b"), *_asked("c")], rows)
    fitted = next(line for line in told.splitlines() if line.startswith("all fitted"))
    # Two chats tell the third wrong, and each of them is told by one that agrees and one that not.
    assert "120 questions, accuracy" in fitted
    assert float(fitted.split("accuracy ")[1].split(",")[0]) < 0.7
