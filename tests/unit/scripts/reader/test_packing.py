"""The reader's weights as they are shipped."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from scripts.reader.packing import LARGEST, averaged, pack, rounded

NAME = "encoder.layer.0.output.dense"


def test_a_matrix_is_kept_in_seven_bits_and_the_rest_as_it_is(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    weights = {
        f"{NAME}.weight": random.normal(size=(6, 4)).astype(np.float32),
        f"{NAME}.bias": random.normal(size=6).astype(np.float32),
        "tags.weight": random.normal(size=(3, 4)).astype(np.float32),
    }
    pack(tmp_path / "w.npz", weights, {"version": "x"})
    with np.load(tmp_path / "w.npz") as held:
        whole, scale = held[f"{NAME}.matrix"], held[f"{NAME}.matrix.scale"]
        assert (whole.dtype, whole.shape, int(abs(whole).max())) == (np.int8, (4, 6), LARGEST)
        back = rounded(weights)
        assert np.allclose(whole.T * scale[:, None], back[f"{NAME}.weight"])
        assert np.abs(back[f"{NAME}.weight"] - weights[f"{NAME}.weight"]).max() < 0.05
        assert np.array_equal(held["tags.weight"], weights["tags.weight"])
        assert json.loads(held["about"].tobytes()) == {"version": "x"}


def test_what_stands_beside_the_weights_is_kept_as_it_is(tmp_path: Path) -> None:
    beside = {"rarity": np.array([1.5, 0.25], np.float16)}
    pack(tmp_path / "w.npz", {}, {"version": "x"}, beside)
    with np.load(tmp_path / "w.npz") as held:
        assert held["rarity"].dtype == np.float16
        assert held["rarity"].tolist() == [1.5, 0.25]


def test_weights_are_mixed_with_a_share_of_another_trainings(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    weights = {
        f"{NAME}.weight": random.normal(size=(6, 4)).astype(np.float32),
        f"{NAME}.bias": random.normal(size=6).astype(np.float32),
    }
    other = {name: random.normal(size=value.shape) for name, value in weights.items()}
    pack(tmp_path / "w.npz", other, {})
    halfway = averaged(weights, tmp_path / "w.npz")
    mostly = averaged(weights, tmp_path / "w.npz", 0.25)
    for name, value in rounded(other).items():
        assert np.allclose(halfway[name], (weights[name] + value) / 2, atol=1e-5)
        assert np.allclose(mostly[name], weights[name] * 0.75 + value * 0.25, atol=1e-5)
