"""Sentences to measure with: drawn from few words, so that a query matches most of them."""

from __future__ import annotations

import random

_SUBJECTS = ("my sister", "the neighbour", "our teacher", "a friend", "my boss", "grandpa")
_DEEDS = ("planted", "sold", "painted", "repaired", "bought", "borrowed", "lost", "found")
_THINGS = ("a bicycle", "an apple tree", "the old piano", "a canoe", "two lamps", "a red coat")
_PLACES = ("in Porto", "near the station", "at the lake", "in the garden", "after the concert")


def sentence(draw: random.Random) -> str:
    """Draw a sentence of about ten words."""
    parts = (_SUBJECTS, _DEEDS, _THINGS, _PLACES)
    return f"{' '.join(draw.choice(part) for part in parts)} number {draw.randrange(1000)}"
