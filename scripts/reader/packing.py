"""The reader's weights as they are shipped: eight bits each, a scale for each row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from scripts.reader.network import Weights

LEAST_SIZE = 1024
"""Smaller tensors, biases among them, stay float32."""


def pack(path: Path, weights: Weights, about: dict[str, Any]) -> None:
    """Write weights and what they come from; the same weights give the same bytes."""
    packed: dict[str, np.ndarray] = {}
    for name, value in sorted(weights.items()):
        if value.ndim == 2 and value.size >= LEAST_SIZE:
            scale = np.abs(value).max(axis=1, keepdims=True) / 127
            scale = np.maximum(scale, 1e-12).astype(np.float32)
            packed[name] = np.round(value / scale).astype(np.int8)
            packed[f"{name}.scale"] = scale[:, 0]
        else:
            packed[name] = value.astype(np.float32)
    packed["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **packed)
