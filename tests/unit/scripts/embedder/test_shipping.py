"""The embedder's weights as they are shipped."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from scripts.embedder.pages import Page, Question, digest
from scripts.embedder.shipping import halfway, ship, told
from scripts.reader.packing import LARGEST, rounded, unpacked

NAME = "encoder.layer.3.output.dense"
PAGES = [Page("p", "en", ("x", "y"), (Question("q", (0,)), Question("r", ())))]


def learnt() -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    shapes = {
        f"{NAME}.weight": (384, 1536),
        f"{NAME}.bias": (384,),
        "tokens.weight": (64, 384),
        "tokens.bias": (64,),
        "salience.weight": (1, 384),
        "salience.bias": (1,),
        "scale": (2,),
        "null": (2,),
    }
    return {name: random.normal(size=n).astype(np.float32) for name, n in shapes.items()}


def test_layers_are_packed_and_heads_kept_without_what_only_the_loss_needs(tmp_path: Path) -> None:
    weights = learnt()
    ship(tmp_path / "r.npz", weights, np.array([0.1, 7.0], np.float32), {"version": "recall/1"})
    with np.load(tmp_path / "r.npz") as held:
        assert set(held.files) == {
            *(f"{NAME}.matrix", f"{NAME}.matrix.scale", f"{NAME}.bias"),
            *("tokens.weight", "tokens.bias", "salience.weight", "salience.bias"),
            *("rarity", "about"),
        }
        whole = held[f"{NAME}.matrix"]
        assert (whole.dtype, whole.shape) == (np.int8, (1536, 384))
        assert np.abs(whole).max() == LARGEST
        assert held["tokens.weight"].dtype == np.float32
        assert np.array_equal(held["tokens.weight"], weights["tokens.weight"])
        assert held["rarity"].dtype == np.float16
        assert held["rarity"].tolist() == [np.float16(0.1), 7.0]
        assert json.loads(held["about"].tobytes()) == {"version": "recall/1"}


def test_what_is_read_back_is_what_was_judged(tmp_path: Path) -> None:
    weights = learnt()
    ship(tmp_path / "r.npz", weights, np.ones(3, np.float32), {})
    back, judged = unpacked(tmp_path / "r.npz"), rounded(weights)
    assert set(back) == {*weights, "rarity"} - {"scale", "null"}
    for name in back.keys() - {"rarity"}:
        assert np.allclose(back[name], judged[name], atol=1e-6)


def test_the_file_says_what_it_was_learnt_from() -> None:
    about = told(PAGES, version="recall/1", seed=0, epochs=4, before={"en": {"dense": 0.5}})
    assert (about["pages"], about["questions"], about["data"]) == (1, 2, digest(PAGES))
    assert "Apache-2.0" in about["about"]
    assert json.loads(json.dumps(about)) == about


def test_what_ships_is_halfway_to_what_was_learnt() -> None:
    names = ("encoder.layer.5.output.dense.bias", "tokens.bias", "salience.bias")
    start = {name: np.zeros(2, np.float32) for name in names}
    learnt = {name: np.full(2, 4, np.float32) for name in names}
    assert [halfway(start, learnt)[name].tolist() for name in names] == [[2, 2], [2, 2], [4, 4]]
