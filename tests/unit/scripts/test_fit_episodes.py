"""What fits the weights of topics: the fit itself, and evidence at every gap."""

import numpy as np
import pytest

from evals.episodes.cases import Dialogue, DialogueTurn
from memory.episodes import Turn
from memory.episodes.features import Features
from scripts.fit_episodes import examples, fit

WIDTH = len(Features._fields)


def test_a_fit_finds_the_weights_that_made_the_data_and_leaves_the_fixed_ones() -> None:
    random = np.random.default_rng(3)
    evidence = random.normal(size=(4000, WIDTH))
    true = np.zeros(WIDTH)
    true[[0, 2, 5]] = (1.5, -2.0, 0.8)
    chance = 1 / (1 + np.exp(-(evidence @ true - 1.0)))
    labels = (random.random(4000) < chance).astype(float)
    weights, bias = fit(evidence, labels, {Features._fields[5]: 0.8})
    assert weights[[0, 2]] == pytest.approx([1.5, -2.0], abs=0.2)
    assert weights[5] == 0.8
    assert bias == pytest.approx(-1.0, abs=0.2)


def test_there_is_evidence_at_every_gap() -> None:
    turns = tuple(DialogueTurn(id=str(n), text=f"turn {n}") for n in range(6))
    case = Dialogue(case_id="d", turns=turns, boundaries=(3,))
    vectors = np.eye(8, dtype=np.float32)
    seen = [Turn(vectors[n], one.text) for n, one in enumerate(turns)]
    evidence, labels = examples([(case, seen)])
    assert evidence.shape == (5, WIDTH)
    assert labels.tolist() == [0, 0, 1, 0, 0]
