"""Tuned weights as they are shipped: matrices of whole numbers, a scale for each column."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from scripts.write_reader_graph import matrix_of

Weights = dict[str, Any]  # Any: arrays of JAX or of NumPy

LARGEST = 63
"""Seven bits: on processors without VNNI the product of two eight-bit pairs would overflow.

Source: onnxruntime's documentation on quantisation, `reduce_range`.
"""


def rounded(weights: Weights) -> Weights:
    """Return weights as they are once they were packed."""
    return {
        name: _whole(value) * _scale(value) if _is_matrix(name, value) else value
        for name, value in weights.items()
    }


def pack(
    path: Path,
    weights: Weights,
    about: dict[str, Any],
    beside: Mapping[str, np.ndarray] | None = None,
) -> None:
    """Write weights and what they come from; the same weights give the same bytes.

    Layers' matrices are kept as `NAME.matrix`, transposed, with `NAME.matrix.scale`. What stands
    `beside` the weights is kept as it is.
    """
    packed: dict[str, np.ndarray] = {}
    for name, value in sorted(weights.items()):
        if _is_matrix(name, value):
            matrix = matrix_of(name.removesuffix(".weight"))
            packed[matrix] = _whole(value).astype(np.int8).T.copy()
            packed[f"{matrix}.scale"] = _scale(value)[:, 0]
        else:
            packed[name] = value.astype(np.float32)
    packed.update(beside or {})
    packed["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **packed)


def averaged(weights: Weights, other: Path, share: float = 0.5) -> Weights:
    """Return weights mixed with a share of those that another training packed.

    Source: https://arxiv.org/abs/2203.05482 (model soups): fine-tuned from the same start, the mean
    of two networks is about as right as both together.
    """
    others = unpacked(other)
    return {n: value * (1 - share) + others[n] * share for n, value in weights.items()}


def unpacked(path: Path) -> Weights:
    """Return the weights that `pack` wrote, `rounded`, with what stands beside them."""
    weights: Weights = {}
    with np.load(path) as packed:
        for name in packed.files:
            stem = name.removesuffix(".matrix")
            if name == matrix_of(stem):
                weights[f"{stem}.weight"] = (packed[name] * packed[f"{name}.scale"]).T
            elif name != "about" and not name.endswith(".matrix.scale"):
                weights[name] = packed[name]
    return weights


def version_of(path: Path | None) -> str:
    """Return the version that packed weights say; nothing where there are none."""
    if path is None:
        return ""
    with np.load(path) as packed:
        return str(json.loads(packed["about"].tobytes())["version"])


def _is_matrix(name: str, value: np.ndarray) -> bool:
    return name.startswith("encoder.") and value.ndim == 2


def _scale(value: np.ndarray) -> np.ndarray:
    largest = np.abs(value).max(axis=1, keepdims=True)
    scale: np.ndarray = np.maximum(largest / LARGEST, 1e-12).astype(np.float32)
    return scale


def _whole(value: np.ndarray) -> np.ndarray:
    whole: np.ndarray = np.round(value / _scale(value))
    return whole
