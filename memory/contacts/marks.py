"""What one message tells of who wrote it: its mood, how lively it is, its language. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from memory.contacts.mood.reading import MoodReader
from memory.contacts.mood.wording import TRAITS, traits_of
from memory.domain.contacts import Mark, MoodName
from memory.text.languages import language_of

READ_CHARS: Final = 4_000
"""Of a message; nobody's mood takes longer to say, and reading takes time in proportion."""

AROUSAL: Final[dict[MoodName, float]] = {
    "frustrated": 0.3,
    "excited": 0.35,
    "anxious": 0.2,
    "confused": 0.0,
    "neutral": 0.0,
    "sad": -0.25,
}
"""How far a mood lifts or lowers energy, from the middle. Source: the arousal axis of the
circumplex (Russell 1980, A circumplex model of affect): excited and angry lie high, afraid a little
lower, sad below the middle."""
_MIDDLE: Final = 0.5
_BY_TRAIT: Final = {"exclaims": 0.25, "shouts": 0.25, "trails_off": -0.15}
"""How marks, capitals and trailing off move energy when there is most of them: with a mood that
is sure, one of them is enough for the next level."""
_DIGITS: Final = 4
"""Kept digits: what is stored and what is read again must be the same."""


def mark_of(
    text: str,
    reader: MoodReader,
    vector: Sequence[float] | npt.NDArray[np.float32] | None,
) -> Mark:
    """Return a message's mark; `vector` is the embedding of its beginning, None without one.

    Raises:
        ValueError: the vector has another dimension than the reader's weights.
    """
    read = text[:READ_CHARS]
    mood = reader.read(read, vector)
    traits = dict(zip(TRAITS, traits_of(read), strict=True))
    energy = _MIDDLE + mood.confidence * AROUSAL[mood.label]
    energy += sum(weight * traits[name] for name, weight in _BY_TRAIT.items())
    return Mark(
        mood.label,
        round(float(mood.confidence), _DIGITS),
        round(min(1.0, max(0.0, energy)), _DIGITS),
        language_of(read),
    )
