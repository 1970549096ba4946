"""Write `scripts/embedder/tokens.npz`: where token vectors point at first, how rare pieces are.

Read from texts of our own: the messages of `datasets/facts/reader` and the chats of
`datasets/recall/train`. The directions are those of most variance (PCA).

Usage: python -m scripts.fit_tokens [OUTPUT]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from evals.recall.cases import load_cases
from memory.minilm.embedder import MAX_TOKENS, open_session
from memory.minilm.recall import WIDTH
from memory.minilm.weights import WEIGHTS_FILE, find_model_folder
from memory.text.glossing import shipped_glosses
from scripts.embedder import TOKENS_FILE
from scripts.reader.notation import read_folder
from scripts.write_minilm_graph import build, read_weights

ROOT = Path(__file__).resolve().parents[1]
STATES_OF = 12
"""One text of so many is read by the network; rarities are counted over all."""

Floats = npt.NDArray[np.float32]


def texts() -> list[str]:
    """Return our own texts as the network reads them."""
    glosses = shipped_glosses()
    said = [each.text for each in read_folder(ROOT / "datasets/facts/reader")]
    for file in load_cases(sorted((ROOT / "datasets/recall/train").glob("*.jsonl"))):
        said += [turn.text for case in file.cases for turn in case.turns]
    return [glosses.render(text, glosses.language_of(text)).text for text in said]


def rarities(pieces: Sequence[Sequence[int]], size: int) -> Floats:
    """Return the inverse document frequency of each word piece; Lucene's, never negative."""
    counts = np.zeros(size)
    for ids in pieces:
        counts[np.unique(ids)] += 1
    return np.log(1 + (len(pieces) - counts + 0.5) / (counts + 0.5)).astype(np.float32)


def states(folder: Path, pieces: Sequence[Sequence[int]]) -> Iterator[Floats]:
    """Yield the network's last states of each text, without those of its frame."""
    with (folder / WEIGHTS_FILE).open("rb") as file:
        graph = build(read_weights(file.read(1 << 20)))
    session = open_session(folder, graph)
    for ids in pieces:
        yield session.run(["states"], {"input_ids": np.array([ids], np.int64)})[0][0, 1:-1]


def main(arguments: Sequence[str]) -> None:
    """Count, read, find the directions, write."""
    folder = find_model_folder()
    tokenizer: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.no_padding()
    pieces = [encoding.ids for encoding in tokenizer.encode_batch_fast(texts())]
    found = np.concatenate(list(states(folder, pieces[::STATES_OF])))
    mean = found.mean(0)
    found -= mean
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    _, axes = np.linalg.eigh(found.T @ found)
    output = Path(arguments[0]) if arguments else TOKENS_FILE
    np.savez(
        output,
        mean=mean.astype(np.float32),
        axes=np.ascontiguousarray(axes[:, ::-1][:, :WIDTH]).astype(np.float32),
        rarity=rarities(pieces, tokenizer.get_vocab_size()).astype(np.float16),
    )
    print(f"{output}: {len(pieces)} texts, {len(found)} pieces, {output.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
