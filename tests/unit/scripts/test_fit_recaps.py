"""The fit of recaps: it learns what tells them; each hand is judged by the others."""

from __future__ import annotations

import numpy as np

from scripts.fit_recaps import Said, fit, report


def _said(hand: str) -> list[Said]:
    return [Said("which", recap, hand, "en") for recap in (True, False) * 20]


def _rows(sign: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    draw = np.random.default_rng(3)
    told = 3 * np.array([sign, -sign] * 20) + draw.normal(0, 0.2, 40)
    return np.stack([told, np.zeros(40)], 1)


def test_it_learns_what_tells_recaps() -> None:
    direction, wording, _ = fit(_said("a"), _rows(1.0), 0.1)
    assert direction > 0.5
    assert wording == 0


def test_the_figures_are_those_of_each_hand_by_the_others() -> None:
    alike = report([*_said("a"), *_said("b")], np.vstack([_rows(1.0), _rows(1.0)]), 0.1)
    assert "0.5 all 1.000/1.000" in alike
    apart = report([*_said("a"), *_said("b")], np.vstack([_rows(1.0), _rows(-1.0)]), 0.1)
    assert "0.5 all 0.000/0.000" in apart
