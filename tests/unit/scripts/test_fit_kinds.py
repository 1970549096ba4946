"""What learns the kinds that questions ask for: the fit itself."""

from __future__ import annotations

import numpy as np

from scripts.fit_kinds import fit


def test_a_fit_tells_the_kinds_that_made_the_data_apart() -> None:
    random = np.random.default_rng(5)
    asked = random.normal(size=(2000, 8))
    asked /= np.linalg.norm(asked, axis=1, keepdims=True)
    told = (asked[:, :2] > 0.4).astype(float)
    weights, bias = fit(asked, told)
    chances = 1 / (1 + np.exp(-(asked @ weights + bias)))
    assert ((chances > 0.5) == (told > 0)).mean() > 0.97
    # One kind says nothing of another.
    assert np.abs(weights[2:]).max() < weights[[0, 1], [0, 1]].min() / 4
    assert np.abs(weights[[1, 0], [0, 1]]).max() < weights[[0, 1], [0, 1]].min() / 4


def test_a_kind_that_nothing_tells_of_is_hardly_ever_asked_for() -> None:
    asked = np.random.default_rng(5).normal(size=(200, 4))
    weights, bias = fit(asked, np.zeros((200, 1)))
    assert (1 / (1 + np.exp(-(asked @ weights + bias)))).max() < 0.05
