"""Read the mood of a message: multinomial logistic regression on its vector and its words.

The weights (`weights.json`) are written by `scripts/train_mood.py`; their header says from what.
They were learnt from English and short texts. So a long text's words count less, and a text whose
words they hardly know is read by a list of words of feeling in other languages, or is neutral.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, cast, get_args

import numpy as np
import numpy.typing as npt

from memory.contacts.mood.lexicon import feeling_of
from memory.contacts.mood.wording import TRAITS, traits_of, words_of
from memory.errors import MoodUnavailable

Label = Literal["frustrated", "sad", "anxious", "excited", "confused", "neutral"]
LABELS: Final[tuple[Label, ...]] = get_args(Label)
NEUTRAL: Final[Label] = "neutral"
WEIGHTS_FILE: Final = Path(__file__).with_name("weights.json")

LEAST_CONFIDENCE: Final = 0.3
"""Below it no mood but neutral is named; one in six is chance."""
LEAST_KNOWN: Final = 0.5
"""Share of a text's words that must be known for it to be read as English. Of English chat about
.9 are known, of other languages less than .2, seldom .5. Source: own dialogues."""
FEW_WORDS: Final = 30
"""From so many words on they share the weight of so many: none learnt from was longer."""
FOREIGN_CONFIDENCE: Final = 0.6
"""Confidence of a word of feeling in another language."""

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Mood:
    """A mood, and how sure it is: 0 to 1."""

    label: Label
    confidence: float


@dataclass(frozen=True, slots=True)
class MoodReader:
    """The weights, ready to read with.

    `by_vector` (dimension, labels), `by_trait` (traits, labels), `by_word` (labels) for each word,
    `bias` (labels). `trained_on` is the SHA-256 of the case file that they were learnt from,
    `embedder` the fingerprint of the vectors that they are for.
    """

    by_vector: Floats
    by_trait: Floats
    by_word: Mapping[str, Floats]
    bias: Floats
    trained_on: str
    embedder: str

    def read(self, text: str, vector: Sequence[float] | Floats | None) -> Mood:
        """Read one message; `vector` is the embedding of its text, None where there is none.

        Raises:
            ValueError: the vector has another dimension than the weights.
        """
        words = words_of(text)
        plain = [one for one in words if one[0].isalpha() and not one.startswith("not_")]
        known = sum(one in self.by_word for one in plain)
        if plain and known <= LEAST_KNOWN * len(plain):
            feeling = feeling_of(text)
            if feeling is not None:
                return Mood(cast(Label, feeling), FOREIGN_CONFIDENCE)
            if known < LEAST_KNOWN * len(plain):
                return Mood(NEUTRAL, LEAST_CONFIDENCE)
        scores = self.scores(text, words, vector)
        chances = np.exp(scores - scores.max())
        chances /= chances.sum()
        best = int(chances.argmax())
        if chances[best] < LEAST_CONFIDENCE:
            return Mood(NEUTRAL, float(chances[LABELS.index(NEUTRAL)]))
        return Mood(LABELS[best], float(chances[best]))

    def scores(
        self, text: str, words: Sequence[str], vector: Sequence[float] | Floats | None
    ) -> Floats:
        """Return the unnormalised log chance of each label."""
        total = self.bias + np.asarray(traits_of(text), np.float32) @ self.by_trait
        if vector is not None:
            total = total + np.asarray(vector, np.float32) @ self.by_vector
        spoken = [self.by_word[one] for one in words if one in self.by_word]
        if spoken:
            share = min(1.0, FEW_WORDS / len(spoken))
            total = total + np.sum(spoken, axis=0) * np.float32(share)
        return cast(Floats, total)


def read_mood(text: str, vector: Sequence[float] | Floats | None) -> Mood:
    """Read one message with the weights that come with the package.

    Args:
        text: what was said.
        vector: its embedding by the default embedder (384); None where another one is in use.

    Raises:
        MoodUnavailable: the weights are missing or broken.
        ValueError: the vector has another dimension than 384.
    """
    return load_reader().read(text, vector)


@cache
def load_reader(path: Path = WEIGHTS_FILE) -> MoodReader:
    """Load a weights file, once.

    Raises:
        MoodUnavailable: it is missing or broken; the line says which.
    """
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        return _reader(held)
    except OSError as error:
        raise MoodUnavailable(
            f"The mood weights {path} cannot be read ({error.strerror}): install the package again."
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise MoodUnavailable(
            f"The mood weights {path} are broken ({type(error).__name__}: {error}): install the "
            "package again, or write them anew with scripts/train_mood.py."
        ) from error


def packed(weights: npt.NDArray[np.float64]) -> dict[str, Any]:  # Any: JSON
    """Return a matrix as JSON: 8-bit integers, row by row, and what one step is worth."""
    step = float(np.abs(weights).max()) / np.iinfo(np.int8).max or 1.0
    whole = np.rint(weights / step).astype(np.int8)
    return {
        "shape": list(whole.shape),
        "step": step,
        "int8": base64.b64encode(whole.tobytes()).decode("ascii"),
    }


def _unpacked(held: Mapping[str, Any], rows: int) -> Floats:
    whole = np.frombuffer(base64.b64decode(held["int8"], validate=True), np.int8)
    wanted = (rows, len(LABELS))
    if tuple(held["shape"]) != wanted or whole.size != rows * len(LABELS):
        raise ValueError(f"a matrix of shape {held['shape']}, expected {list(wanted)}")
    return whole.reshape(wanted).astype(np.float32) * np.float32(held["step"])


def _reader(held: Mapping[str, Any]) -> MoodReader:
    if tuple(held["labels"]) != LABELS or tuple(held["traits"]) != TRAITS:
        raise ValueError("other labels or traits than this version's")
    words = held["words"].split(" ")
    by_word = _unpacked(held["by_word"], len(words))
    bias = np.asarray(held["bias"], np.float32)
    if bias.shape != (len(LABELS),):
        raise ValueError("a bias for each label is missing")
    return MoodReader(
        by_vector=_unpacked(held["by_vector"], int(held["dimension"])),
        by_trait=_unpacked(held["by_trait"], len(TRAITS)),
        by_word=dict(zip(words, by_word, strict=True)),
        bias=bias,
        trained_on=str(held["trained_on"]["sha256"]),
        embedder=str(held["embedder"]),
    )
