"""Learn which questions ask for several things: `python -m scripts.fit_breadth [--out FILE]`.

From the questions about our training chats (lists, orders and courses of things against the rest)
and, counting less, from those about single pages (several lines of evidence against one). A
logistic model on a question's vector and its wording. Figures are those of each chat by the others.
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
from memory.recall.breadth import FILE, LIKELY, UNSURE, wants_several
from scripts import logistic
from scripts.logistic import Floats, chances

ROOT: Final = Path(__file__).resolve().parents[1]
SEVERAL: Final = frozenset({"list", "order", "course"})
PAGE_WEIGHT: Final = 0.2
"""What a question about a page counts: how many lines hold its answer says less of what it asks."""

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: whether it asks for several things, and the chat that it is about, if any."""

    text: str
    several: bool
    chat: str = ""
    lang: str = ""


def main() -> None:
    """Read the questions, fit, print the figures, write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FILE)
    given = parser.parse_args()
    asked = [*of_chats(), *of_pages()]
    embedder = RecallEmbedder()
    vectors = asyncio.run(embedder.embed([each.text for each in asked]))
    wording = [wants_several(each.text) for each in asked]
    rows = np.hstack([np.array(vectors), np.array(wording, float)[:, None]])
    print(report(asked, rows))
    logistic.write(given.out, embedder.fingerprint, fit(rows, asked))


def of_chats() -> list[Asked]:
    """Return the questions about the training chats."""
    return [
        Asked(q["question"], q["category"] in SEVERAL, case["case_id"], case["lang"])
        for case in _rows("train")
        for q in case["questions"]
    ]


def of_pages() -> list[Asked]:
    """Return the questions about single pages."""
    return [
        Asked(q["question"], len(q["evidence"]) > 1)
        for page in _rows("pages")
        for q in page["questions"]
    ]


def _rows(folder: str) -> list[dict]:  # type: ignore[type-arg]
    files = sorted((ROOT / "datasets/recall" / folder).glob("*.jsonl"))
    return [json.loads(row) for file in files for row in file.read_text("utf-8").splitlines()]


def fit(rows: Floats, asked: Sequence[Asked]) -> Floats:
    """Return a weight for each column and, last, the bias."""
    target = np.array([each.several for each in asked], float)
    return logistic.fit(rows, target, np.array([1.0 if a.chat else PAGE_WEIGHT for a in asked]))


def report(asked: Sequence[Asked], rows: Floats) -> str:
    """Return how well each chat's questions are told by the others, and by wording alone."""
    chats = np.array([each.chat for each in asked])
    several = np.array([each.several for each in asked])
    chance = np.zeros(len(asked))
    for chat in sorted(set(chats) - {""}):
        held = chats == chat
        weights = fit(rows[~held], [each for each, out in zip(asked, held, strict=True) if not out])
        chance[held] = chances(rows[held], weights)
    langs = np.array([each.lang for each in asked])
    lines = []
    for lang in ("", *sorted(set(langs) - {""})):
        of = (chats != "") & ((langs == lang) | (lang == ""))
        lines += [
            f"{lang or 'all':4}{name:9}{_figures(told[of], several[of])}"
            for name, told in (("wording", rows[:, -1] > 0), ("fitted", chance >= LIKELY))
        ]
    own = chats != ""
    few = own & (chance < UNSURE)
    lines.append(
        f"lookups: {few[own].mean():.3f} of all, {several[few].mean():.3f} ask for several"
    )
    return "\n".join(lines)


def _figures(told: Mask, true: Mask) -> str:
    right, found = (told & true).sum(), max(int(told.sum()), 1)
    return (
        f"{len(true):5} questions, accuracy {(told == true).mean():.3f},"
        f" precision {right / found:.3f}, recall {right / max(int(true.sum()), 1):.3f}"
    )


if __name__ == "__main__":
    main()
