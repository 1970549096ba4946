"""The embedder that memory is searched by: all-MiniLM-L6-v2, its upper layers tuned for recall.

The graph (`recall.onnx`, by `scripts/write_recall_graph.py`) takes embeddings and lower layers from
the model wheel; what was learnt of questions and the lines that answer them (`recall.npz`, by
`scripts/embedder`) tells from what. Beside the vector of a text it gives one of 64 small integers
for each word piece, and how much each piece counts in a question.

Source: late interaction, https://arxiv.org/abs/2004.12832 (ColBERT).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import onnxruntime as ort
from tokenizers import Tokenizer

from memory.domain.recalls import Embedded, TokenMatrix
from memory.minilm.embedder import Ids, MiniLmEmbedder, open_session
from memory.npz import opened

WIDTH: Final = 64
"""Numbers of a piece's vector."""
FILE: Final = Path(__file__).with_name("recall.npz")
_GRAPH_FILE: Final = Path(__file__).with_name("recall.onnx")
_MATRIX: Final = ".matrix"

Floats = npt.NDArray[np.float32]


class RecallEmbedder(MiniLmEmbedder):
    """Embeds text and its pieces; equal input gives equal output."""

    _fingerprint: str

    @property
    def fingerprint(self) -> str:
        """Model, dimension and normalisation of the vectors."""
        return self._fingerprint

    @property
    def token_space(self) -> str:
        """Identity of the vectors of pieces: these weights made both."""
        return self.fingerprint

    def _open(self, folder: Path) -> ort.InferenceSession:
        own, rarity = load()
        self._fingerprint = fingerprint()
        self._pieces = Pieces(self._tokenizer, rarity)
        return open_session(folder, _GRAPH_FILE.read_bytes(), own)

    def _read(self, texts: Sequence[str]) -> list[Embedded]:
        found: list[Embedded] = [Embedded(())] * len(texts)
        outputs = ["embedding", "token_vectors", "salience"]

        def keep(batch: list[int], ids: Ids, session: ort.InferenceSession) -> None:
            vectors, pieces, salience = session.run(outputs, {"input_ids": ids})
            for row, index in enumerate(batch):
                tokens = self._pieces.of(ids[row], pieces[row], salience[row])
                found[index] = Embedded(tuple(vectors[row].tolist()), tokens)

        self._run(texts, keep)
        return found


class Pieces:
    """Which pieces of a text count, and how much each weighs."""

    def __init__(self, tokenizer: Tokenizer, rarity: Floats) -> None:
        """Look through the vocabulary.

        Args:
            tokenizer: What makes pieces.
            rarity: How rare each piece of the vocabulary is, (pieces,).
        """
        names = [tokenizer.id_to_token(number) or "" for number in range(len(rarity))]
        self._is_word = np.array([any(map(str.isalnum, name)) for name in names])
        self._is_word[[n for n, name in enumerate(names) if name.startswith("[")]] = False
        self._rarity = rarity

    def of(self, ids: Ids, vectors: npt.NDArray[np.int8], salience: Floats) -> TokenMatrix:
        """Return the vectors of the pieces that are words or parts of one.

        Args:
            ids: The pieces, (length,).
            vectors: Theirs, (length, 64).
            salience: How much each counts, (length,).
        """
        words = np.flatnonzero(self._is_word[ids])
        weights = self._rarity[ids[words]] * salience[words]
        pieces = tuple(ids[words].tolist())
        return TokenMatrix(vectors[words].tobytes(), WIDTH, tuple(weights.tolist()), pieces)


def fingerprint(file: Path = FILE) -> str:
    """Return what the vectors are named by: model, version of what was learnt, form."""
    with opened(file) as packed:
        version = json.loads(packed["about"].tobytes())["version"]
    return f"all-MiniLM-L6-v2+{version}/384/l2"


def load(file: Path = FILE) -> tuple[dict[str, Floats], Floats]:
    """Return the weights by name, and how rare each piece is."""
    own: dict[str, Floats] = {}
    with opened(file) as packed:
        rarity = packed["rarity"].astype(np.float32)
        for name in packed.files:
            if name.endswith(_MATRIX):
                scaled = packed[name] * packed[f"{name}.scale"]
                own[f"{name.removesuffix(_MATRIX)}.weight"] = np.ascontiguousarray(scaled.T)
            elif name not in ("about", "rarity") and not name.endswith(".scale"):
                own[name] = packed[name]
    return own, rarity
