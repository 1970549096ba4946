"""Which facts a message asks for, of who writes it: "who am I called after", "was fahre ich". Pure.

`facts_asked.npz`, written by `scripts/fit_facts_asked.py`, tells the chance of each kind of fact
from a message's vector and its words, those of other languages by their glosses; it fits the
embedder whose fingerprint it names. With any other nobody can tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from memory.npz import opened
from memory.text.glossing import shipped_glosses
from memory.text.words import has_question_mark, normalise

FILE: Final = Path(__file__).with_name("facts_asked.npz")
EVERYTHING: Final = "everything"
STATEMENT: Final = "statement"
OTHERS: Final = ("other", STATEMENT)
"""What asks for anything else, and what asks nothing."""
LEAST: Final = 0.3
LIKELY: Final = 0.5
"""Chances that a message asks for facts of who writes it: with less than the first it does not,
from the second on it does."""
BESIDE: Final = 0.4
"""A second kind is asked for, too, where it is so likely beside the first."""
CLEAR: Final = 0.3
"""Of the chance of all kinds the first has so much, or nobody can tell what is asked for."""
MAX_WORDS: Final = 60
VECTOR: Final = 4.0
WORD: Final = 0.8
"""What a vector of length one, and each word, count beside one another."""

Floats = npt.NDArray[np.float32]
Asked = Mapping[str, float]
"""The kinds of fact that are asked for, each with the chance that any is; empty where none is."""


@dataclass(frozen=True, slots=True)
class FactsAsked:
    """A softmax over `kinds`: `weights` (width + words + 1, kinds), the last row for any text."""

    fingerprint: str
    kinds: tuple[str, ...]
    places: Mapping[str, int]
    weights: Floats

    def of(
        self, vectors: Sequence[Sequence[float]], words: Sequence[str], *, asks: bool = False
    ) -> Asked:
        """Return what is asked for; of a text in pieces the one that asks most decides.

        `asks`: it is known to ask something, so that it is no statement.
        """
        here = np.zeros(len(self.places), np.float32)
        here[[self.places[word] for word in words if word in self.places]] = WORD
        beside = here @ self.weights[-1 - len(here) : -1] + self.weights[-1]
        scores = VECTOR * np.asarray(vectors, np.float32) @ self.weights[: -1 - len(here)] + beside
        if asks:
            scores[:, self.kinds.index(STATEMENT)] = -np.inf
        chances = np.exp(scores - scores.max(1, keepdims=True))
        chances /= chances.sum(1, keepdims=True)
        is_fact = np.array([kind not in OTHERS for kind in self.kinds])
        asking = chances[:, is_fact].sum(1)
        best = int(asking.argmax())
        if asking[best] < LEAST or chances[best][is_fact].max() < CLEAR * asking[best]:
            return {}
        found = {
            kind: chance
            for kind, chance in zip(self.kinds, chances[best].tolist(), strict=True)
            if kind not in OTHERS
        }
        least = BESIDE * max(found.values())
        chosen = [kind for kind, chance in found.items() if chance >= least]
        chance = float(asking[best])
        return dict.fromkeys(sorted(chosen, key=lambda kind: -found[kind]), chance)


def facts_asked(fingerprint: str, vectors: Sequence[Sequence[float]], text: str) -> Asked | None:
    """Return what a message asks for; None where another embedder made its vectors, or none did."""
    known = shipped_facts_asked()
    if not vectors or fingerprint != known.fingerprint:
        return None
    return known.of(vectors, words_of(text), asks=has_question_mark(text))


def words_of(text: str) -> list[str]:
    """Return the words of a text as English, and each two that follow one another; none twice.

    `^` stands before the first and `$` behind the last.
    """
    glosses = shipped_glosses()
    line = normalise(glosses.render(text, glosses.language_of(text)).text)
    words = line.split()[:MAX_WORDS]
    pairs = (f"{one} {other}" for one, other in zip(["^", *words], [*words, "$"], strict=True))
    return list(dict.fromkeys([*words, *pairs]))


@lru_cache(maxsize=1)
def shipped_facts_asked() -> FactsAsked:
    """Return what the package ships, loaded once."""
    with opened(FILE) as data:
        words = str(data["words"]).split("\n")
        return FactsAsked(
            str(data["fingerprint"]),
            tuple(map(str, data["kinds"])),
            {word: number for number, word in enumerate(words)},
            data["weights"].astype(np.float32),
        )
