"""The embedder that memory is searched by."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memory.domain.recalls import TokenMatrix
from memory.minilm.embedder import MiniLmEmbedder
from memory.minilm.recall import RecallEmbedder
from scripts import write_recall_graph

ROOT = Path(__file__).parents[3]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def embedder() -> RecallEmbedder:
    return RecallEmbedder()


def rows_of(tokens: TokenMatrix | None) -> np.ndarray:
    assert tokens is not None
    return np.frombuffer(tokens.vectors, np.int8).reshape(-1, tokens.width).astype(np.float32)


@pytest.mark.anyio
async def test_the_pieces_of_words_come_with_the_vector(embedder: RecallEmbedder) -> None:
    texts = ["The heron, the HERON!", "word " * 30, "?!", ""]
    read = await embedder.read(texts)
    vectors = [each.vector for each in read]
    np.testing.assert_allclose(vectors, await embedder.embed(texts), rtol=0, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    pieces, words, marks, empty = (rows_of(each.tokens) for each in read)
    # "the", "heron" (in as many pieces as it has) and no marks; each of about the length of one.
    assert len(pieces) >= 4
    np.testing.assert_allclose(np.linalg.norm(pieces, axis=1), 127, atol=6)
    assert (words.shape, len(marks), len(empty)) == ((30, 64), 0, 0)


@pytest.mark.anyio
async def test_rare_words_of_a_question_weigh_more(embedder: RecallEmbedder) -> None:
    (read,) = await embedder.read(["the hamster"])
    assert read.tokens is not None
    the, *hamster = read.tokens.weights
    assert len(hamster) == len(rows_of(read.tokens)) - 1
    assert the < max(hamster) / 2


@pytest.mark.anyio
@pytest.mark.parametrize(
    "texts",
    [
        (
            "which instrument does Ben play?",
            "sorry, at the cello till eight again",
            "Ben plays cards every Friday",
        ),
        ("any pets?", "the hamster escaped again", "any plans?"),
    ],
)
async def test_an_answer_gains_on_what_is_only_alike(
    embedder: RecallEmbedder, texts: tuple[str, str, str]
) -> None:
    gains = []
    for each in (embedder, MiniLmEmbedder()):
        question, answer, alike = await each.embed(texts)
        gains.append(np.dot(question, answer) - np.dot(question, alike))
    assert gains[0] > gains[1] + 0.05


@pytest.mark.anyio
async def test_vectors_are_said_to_be_of_these_weights(embedder: RecallEmbedder) -> None:
    assert embedder.fingerprint == "all-MiniLM-L6-v2+recall/1/384/l2"
    assert embedder.token_space == embedder.fingerprint
    alone = [(await embedder.embed([text]))[0] for text in ("a b", "c d", "e f")]
    np.testing.assert_allclose(await embedder.embed(["a b", "c d", "e f"]), alone, atol=1e-6)


def test_graph_is_what_the_script_writes(tmp_path: Path) -> None:
    write_recall_graph.main([str(tmp_path / "recall.onnx")])
    committed = (ROOT / "memory" / "minilm" / "recall.onnx").read_bytes()
    assert (tmp_path / "recall.onnx").read_bytes() == committed
    assert len(committed) < 30_000, "none of the network's weights"
