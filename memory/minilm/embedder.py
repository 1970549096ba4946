"""all-MiniLM-L6-v2 on the CPU: onnxruntime, no torch, no download, no cache.

The graph (`model.onnx`, written by `scripts/write_minilm_graph.py`) refers to the weights inside
the installed wheel, which onnxruntime maps into memory.
"""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from memory.domain.recalls import Embedded
from memory.errors import EmbedderUnavailable
from memory.minilm.weights import WEIGHTS_FILE, find_model_folder, verify_weights
from memory.text.glossing import shipped_glosses

# The wheel reports its use to its maker by default, and writes an id into the home folder.
# Source: Privacy.md of onnxruntime 1.31; it is read while the library loads.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

import onnxruntime as ort

DIMENSION = 384
FINGERPRINT = "all-MiniLM-L6-v2/384/l2"

# Source: sentence_bert_config.json of the model states 128 for the training; the model card and
# sentence-transformers' own default is 256 word pieces, [CLS] and [SEP] included.
MAX_TOKENS = 256

# More texts a batch gain nothing on one core and grow the attention's memory.
_BATCH_TOKENS = 512
_BATCH_TEXTS = 16

Ids = npt.NDArray[np.int64]
_Keep = Callable[[list[int], Ids, ort.InferenceSession], None]

_GRAPH_FILE = Path(__file__).with_name("model.onnx")

# Source: onnxruntime_session_options_config_keys.h; where external data lies when the graph
# itself is given as bytes.
_WEIGHTS_FOLDER_KEY = "session.model_external_initializers_file_folder_path"


class MiniLmEmbedder:
    """Embeds text into 384 dimensions, unit length; equal input gives equal output.

    As the model was published; memory is searched by one that was tuned (`RecallEmbedder`).

    It reads English; German, Spanish, Portuguese and Russian as their English glosses.

    Beyond 256 word pieces text is ignored: split it before (`memory.text.chunks`). Loading takes
    about 0.2 s and blocks; construct once and share. Safe to use from many tasks and threads.
    """

    def __init__(self, threads: int | None = None) -> None:
        """Load tokenizer and network; `threads` caps the parallel batches, default the cores.

        Raises:
            EmbedderUnavailable: The model wheel is missing or its weights are altered.
        """
        folder = find_model_folder()
        verify_weights(folder / WEIGHTS_FILE)
        self._tokenizer: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.no_padding()
        self._session = self._open(folder)
        self._glosses = shipped_glosses()
        self._pool = ThreadPoolExecutor(
            threads or available_cores(), thread_name_prefix="recollect-minilm"
        )

    @property
    def fingerprint(self) -> str:
        """Model, dimension and normalisation of the vectors."""
        return FINGERPRINT

    @property
    def dimension(self) -> int:
        """Length of every vector: 384."""
        return DIMENSION

    @property
    def token_space(self) -> str:
        """Empty: there are no vectors of pieces."""
        return ""

    async def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Embed texts off the event loop; one unit vector each, in order."""
        return [each.vector for each in await self.read(texts)]

    async def read(self, texts: Sequence[str]) -> list[Embedded]:
        """Embed texts and their pieces off the event loop, in order."""
        return await asyncio.to_thread(self._read, texts) if texts else []

    def embed_array(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed texts in this thread and the pool; float32 of shape (texts, 384), in order."""
        vectors = np.empty((len(texts), DIMENSION), np.float32)

        def keep(batch: list[int], ids: Ids, session: ort.InferenceSession) -> None:
            vectors[batch] = session.run(["embedding"], {"input_ids": ids})[0]

        self._run(texts, keep)
        return vectors

    def _open(self, folder: Path) -> ort.InferenceSession:
        return open_session(folder, _GRAPH_FILE.read_bytes())

    def _read(self, texts: Sequence[str]) -> list[Embedded]:
        return [Embedded(tuple(vector)) for vector in self.embed_array(texts).tolist()]

    def _run(self, texts: Sequence[str], keep: _Keep) -> None:
        """Run the network over batches, one thread each; `keep` takes what comes of them."""
        encoded = self._tokenizer.encode_batch_fast([self._glossed(text) for text in texts])
        tokens = [encoding.ids for encoding in encoded]
        batches = _batches([len(ids) for ids in tokens])

        def run(batch: list[int]) -> None:
            keep(batch, np.array([tokens[index] for index in batch], np.int64), self._session)

        if len(batches) == 1:
            # Not through the pool: a query must not queue behind an import's batches.
            run(batches[0])
        else:
            list(self._pool.map(run, batches))

    def _glossed(self, text: str) -> str:
        return self._glosses.render(text, self._glosses.language_of(text)).text

    def close(self) -> None:
        """Stop the pool's threads after the batches under way."""
        self._pool.shutdown(wait=True, cancel_futures=True)


def open_session(
    folder: Path, graph: bytes, own: Mapping[str, npt.NDArray[np.float32]] | None = None
) -> ort.InferenceSession:
    """Open a graph over the weights in the folder, and over `own`, by name, where it has some.

    Raises:
        EmbedderUnavailable: onnxruntime cannot load it.
    """
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry(_WEIGHTS_FOLDER_KEY, str(folder))
    if own:
        values = [ort.OrtValue.ortvalue_from_numpy(value) for value in own.values()]
        options.add_external_initializers(list(own), values)
    try:
        return ort.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    except (OSError, RuntimeError) as exc:
        reason = str(exc).splitlines()[0]
        raise EmbedderUnavailable(
            f"onnxruntime {ort.__version__} cannot load the default embedding model ({reason}): "
            "install onnxruntime>=1.21, or set RECOLLECT_EMBEDDINGS."
        ) from exc


def available_cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _batches(lengths: Sequence[int]) -> list[list[int]]:
    """Group indices of equal length into batches, longest texts first.

    Nothing is padded: a padded batch runs several times slower. The longest go first so that no
    thread ends on a long batch alone.
    """
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for index, length in enumerate(lengths):
        groups[length].append(index)
    batches: list[list[int]] = []
    for length in sorted(groups, reverse=True):
        size = max(1, min(_BATCH_TEXTS, _BATCH_TOKENS // length))
        group = groups[length]
        batches.extend(group[start : start + size] for start in range(0, len(group), size))
    return batches
