"""Learn which messages ask for a recap: `python -m scripts.fit_recaps [--out FILE]`.

From `datasets/recaps/train` and, as messages that do not, the questions about our training chats.
A logistic model on a message's vector and its wording. Figures are out of fold: each hand's
messages by those of the other, and by language.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from memory.minilm.recall import RecallEmbedder
from memory.recall.recaps import FILE, words_ask_for_recap
from scripts import logistic
from scripts.logistic import Floats, chances

ROOT: Final = Path(__file__).resolve().parents[1]
Mask = npt.NDArray[np.bool_]

TRIED: Final = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
RIDGES: Final = (0.1, 0.3, 1.0, 3.0)
QUESTION_WEIGHT: Final = 0.3
"""What a question about a chat counts: there are many, and hardly one of them asks for a recap."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message, whether it asks for a recap, and who wrote it; `questions` wrote the others."""

    text: str
    recap: bool
    hand: str
    language: str


def main() -> None:
    """Read the messages, fit, print the figures, write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FILE)
    parser.add_argument("--ridge", type=float, default=0.1)
    given = parser.parse_args()
    said = [*written(), *questions()]
    embedder = RecallEmbedder()
    vectors = asyncio.run(embedder.embed([each.text for each in said]))
    wording = [words_ask_for_recap(each.text) for each in said]
    rows = np.hstack([np.array(vectors), np.array(wording, float)[:, None]])
    for ridge in RIDGES:
        print(f"ridge {ridge}")
        print(report(said, rows, ridge))
    logistic.write(given.out, embedder.fingerprint, fit(said, rows, given.ridge))


def written() -> list[Said]:
    """Return the messages that were written for this."""
    return [
        Said(row["text"], row["recap"], file.stem, row["language"])
        for file in sorted((ROOT / "datasets/recaps/train").glob("*.jsonl"))
        for row in map(json.loads, file.read_text("utf-8").splitlines())
    ]


def questions() -> list[Said]:
    """Return the questions about the training chats: what they ask is no recap."""
    return [
        Said(asked["question"], False, "questions", case["lang"])
        for file in sorted((ROOT / "datasets/recall/train").glob("*.jsonl"))
        for case in map(json.loads, file.read_text("utf-8").splitlines())
        for asked in case["questions"]
    ]


def fit(said: Sequence[Said], rows: Floats, ridge: float) -> Floats:
    """Return a weight for each column and, last, the bias."""
    target = np.array([each.recap for each in said], float)
    counts = np.array([QUESTION_WEIGHT if each.hand == "questions" else 1.0 for each in said])
    return logistic.fit(rows, target, counts, ridge)


def report(said: Sequence[Said], rows: Floats, ridge: float) -> str:
    """Return recall and precision on each hand's messages by the others', at several chances."""
    hands = np.array([each.hand for each in said])
    true = np.array([each.recap for each in said])
    languages = np.array([each.language for each in said])
    chance = np.zeros(len(said))
    for hand in sorted(set(hands) - {"questions"}):
        held = hands == hand
        kept = [each for each in said if each.hand != hand]
        chance[held] = chances(rows[held], fit(kept, rows[~held], ridge))
    own = hands != "questions"
    lines = []
    for least in TRIED:
        found = own & (chance >= least)
        cells = [f"{least:.1f} all {_figures(found[own], true[own])}"]
        for language in sorted(set(languages[own])):
            of = own & (languages == language)
            cells.append(f"{language} {_figures(found[of], true[of])}")
        lines.append("; ".join(cells))
    return "\n".join(lines)


def _figures(found: Mask, true: Mask) -> str:
    right = int((found & true).sum())
    return f"{right / max(int(true.sum()), 1):.3f}/{right / max(int(found.sum()), 1):.3f}"


if __name__ == "__main__":
    main()
