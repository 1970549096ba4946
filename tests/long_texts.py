"""A text that is longer than anything that is indexed, and than Postgres would index."""

from __future__ import annotations

import random

_CHARACTERS = 300_000
_DRAW = random.Random(1)

LONG_TEXT = "The heron is called Pimenta. " + "".join(
    chr(_DRAW.randrange(0x4E00, 0x9FA0)) for _ in range(_CHARACTERS)
)
"""Its beginning can be searched for; the rest are Chinese characters at random."""
