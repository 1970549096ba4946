"""Train the reader of facts: `python -m scripts.reader`.

Some voices are held out: by them it is judged, its confidences are made chances, and it is chosen
from where on it is believed. The weights that are judged are the ones that are shipped. Needs jax
and optax (`requirements/train.txt`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from memory.domain.readings import Span
from memory.facts.reading.calibration import Calibration
from memory.minilm.weights import WEIGHTS_FILE, find_model_folder
from scripts.reader.calibrating import fit, threshold_of
from scripts.reader.corpus import among, split_by_voice
from scripts.reader.judging import judge, rates
from scripts.reader.network import read_safetensors, split
from scripts.reader.notation import Labelled, read_folder
from scripts.reader.packing import Weights, averaged, pack, rounded, unpacked, version_of
from scripts.reader.training import EPOCHS, RATE, learn, read

ROOT = Path(__file__).resolve().parents[2]
ABOUT = (
    "Weights of the reader of facts, learnt by scripts/reader. all-MiniLM-L6-v2 (Apache-2.0),"
    " tuned on datasets/facts/reader (CC0)."
)


def main() -> None:
    """Learn, judge, calibrate, write the weights."""
    given = _arguments()
    started = time.monotonic()
    messages = list(read_folder(given.data))
    random.Random(given.seed).shuffle(messages)  # noqa: S311
    seen, unseen = split_by_voice(messages, given.data)
    seen = among(seen, given.writers) if given.writers else seen[: int(len(seen) * given.share)]
    folder = find_model_folder()
    tokenizer: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    fixed, start = split(read_safetensors(folder / WEIGHTS_FILE), given.seed)
    start = unpacked(given.go_on) if given.go_on else start
    print(f"{len(seen)} messages to learn from, {len(unseen)} of other voices to judge by")

    def keep(weights: Weights) -> None:
        pack(given.out.with_suffix(".part.npz"), weights, {"version": "unfinished"})

    weights = start
    if given.epochs:
        how = {"seed": given.seed, "epochs": given.epochs, "rate": given.rate}
        weights = learn(fixed, start, tokenizer, seen, keep=keep, **how)
    if given.average:
        weights = averaged(weights, given.average, given.of_average)
    raw = read(fixed, rounded(weights), tokenizer, unseen)
    calibration = fit(unseen, raw)
    found = [[calibration.of(span) for span in spans] for spans in raw]
    threshold = threshold_of(unseen, found)
    figures = _figures(unseen, found, threshold)
    if given.report:
        given.report.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n")
    given.out.with_suffix(".part.npz").unlink(missing_ok=True)
    pack(given.out, weights, _about(given, seen, calibration, threshold, figures))
    print(f"{given.out}: {given.out.stat().st_size / 1e6:.1f} MB")
    print(f"{(time.monotonic() - started) / 60:.0f} minutes")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT / "datasets/facts/reader")
    parser.add_argument("--out", type=Path, default=ROOT / "memory/minilm/reader.npz")
    parser.add_argument("--report", type=Path, help="a file for the figures by key and voice")
    parser.add_argument("--version", default="reader/6")
    parser.add_argument("--epochs", type=float, default=EPOCHS, help="0: only mix and judge")
    parser.add_argument("--rate", type=float, default=RATE, help="of learning, at its highest")
    parser.add_argument("--go-on", type=Path, metavar="NPZ", help="weights to go on from")
    parser.add_argument(
        "--writers", nargs="+", help="to go on with: all of their messages, and as many of others"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--share", type=float, default=1.0, help="of the messages: a learning curve"
    )
    parser.add_argument(
        "--average", type=Path, metavar="NPZ", help="weights of another training, to mix in"
    )
    parser.add_argument("--of-average", type=float, default=0.5, help="the share of these")
    return parser.parse_args()


def _figures(
    unseen: Sequence[Labelled], found: Sequence[Sequence[Span]], threshold: float
) -> dict[str, Any]:
    figures: dict[str, Any] = {"threshold": threshold}
    for status in ("stated", "ended", "other"):
        judged = judge(unseen, found, threshold, (status,))
        figures[status] = {
            group: {name: rates(count) for name, count in names.items()}
            for group, names in judged.items()
        }
        print(status, figures[status]["all"], figures[status]["language"])
    for at_least in (0.5, 0.6, 0.7, 0.8, 0.9):
        counts = judge(unseen, found, at_least)
        print(at_least, {name: rates(count) for name, count in counts["language"].items()})
    print(f"threshold {threshold}")
    return figures


def _about(
    given: argparse.Namespace,
    messages: Sequence[Labelled],
    calibration: Calibration,
    threshold: float,
    figures: dict[str, Any],
) -> dict[str, Any]:
    texts = "\n".join(sorted(message.text for message in messages))
    return {
        "about": ABOUT,
        "version": given.version,
        "seed": given.seed,
        "epochs": given.epochs,
        "messages": len(messages),
        "data": hashlib.sha256(texts.encode()).hexdigest()[:16],
        "went_on_from": version_of(given.go_on),
        "mixed_with": version_of(given.average),
        "of_that": given.of_average if given.average else 0,
        "threshold": threshold,
        "calibration": {
            "slope": calibration.slope,
            "shift": calibration.shift,
            "by_key": dict(calibration.by_key),
        },
        "unseen_voices": figures["stated"]["language"],
    }


if __name__ == "__main__":
    main()
