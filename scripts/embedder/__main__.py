"""Train the embedder of memory search: `python -m scripts.embedder`.

Memory search asks more than whether texts are alike: a line has to answer a question. The upper
layers of all-MiniLM-L6-v2 learn that from `pages/`, `pairs/` and `talks/` of `datasets/recall`. It
is judged by the chats of `datasets/recall/train`, which it does not learn from, before, after each
epoch, and as it ships: halfway between what was published and what was learnt. Needs jax and optax
(`requirements/train.txt`).
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from memory.minilm.weights import WEIGHTS_FILE, find_model_folder
from scripts.embedder import TOKENS_FILE
from scripts.embedder.batches import Batches
from scripts.embedder.judging import Figures, judge
from scripts.embedder.network import split
from scripts.embedder.pages import read_chats, read_pages, tokenized
from scripts.embedder.shipping import halfway, ship, told
from scripts.embedder.training import EPOCHS, LowerStates, embedding, learn
from scripts.reader.network import read_safetensors
from scripts.reader.packing import Weights, rounded, unpacked

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Learn, judge, write the weights."""
    given = _given()
    started = time.monotonic()
    folder = find_model_folder()
    with np.load(TOKENS_FILE) as start:
        axes, mean, rarity = start["axes"], start["mean"], start["rarity"]
    fixed, learnt = split(read_safetensors(folder / WEIGHTS_FILE), axes, mean)
    tokenizer: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    chats = tokenized(tokenizer, read_chats(given.data / "train"))
    embed, rarities = embedding(fixed), rarity.astype(np.float32)

    def judged(name: str, weights: Weights) -> Figures:
        figures = judge(embed(weights), chats, rarities)
        print(name, figures, flush=True)
        return figures

    if given.judge:
        judged(str(given.judge), unpacked(given.judge))
        return
    pages = read_pages(given.data)
    about = told(
        pages,
        version=given.version,
        seed=given.seed,
        epochs=given.epochs,
        before=judged("before", learnt),
    )
    read = tokenized(tokenizer, pages)
    batches = Batches(read, rarities, given.seed)
    part = given.out.with_suffix(".part.npz")

    def keep(epoch: int, weights: Weights) -> None:
        ship(part, weights, rarity, about | {"version": "unfinished"})
        judged(f"epoch {epoch}", weights)

    below = LowerStates(fixed, read)
    weights = learn(fixed, learnt, batches, below, seed=given.seed, epochs=given.epochs, keep=keep)
    weights = halfway(learnt, weights)
    ship(given.out, weights, rarity, about | {"after": judged("after", rounded(weights))})
    part.unlink(missing_ok=True)
    print(f"{given.out}: {given.out.stat().st_size / 1e6:.1f} MB")
    print(f"{(time.monotonic() - started) / 60:.0f} minutes")


def _given() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT / "datasets/recall")
    parser.add_argument("--out", type=Path, default=ROOT / "memory/minilm/recall.npz")
    parser.add_argument("--version", default="recall/1")
    parser.add_argument("--epochs", type=float, default=EPOCHS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--judge", type=Path, metavar="NPZ", help="only judge what was written")
    return parser.parse_args()


if __name__ == "__main__":
    main()
