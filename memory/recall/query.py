"""What a turn searches with: what was said, then what that quotes, within bounds. Pure.

An embedder reads a few hundred tokens, so that a long query is searched for piece by piece.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory.text.excerpts import cut

MAX_QUOTED_CHARS = 1_000
"""Of all that is quoted, so much stands in the query: more would drown what is asked."""
MAX_CHUNKS = 24
MAX_CHARS = 24_000
"""About what the chunks hold; of a longer query the beginning and the end are read."""
MAX_WORDS = 400
_WORD = re.compile(r"\w+")


def with_quoted(said: str, quoted: Sequence[str]) -> str:
    """Return the query of a turn: its own words first, then what it quotes."""
    lines = []
    room = MAX_QUOTED_CHARS
    for text in quoted:
        lines.append(cut(text, room))
        room -= len(lines[-1])
        if room <= 0:
            break
    return "\n".join([said, *lines])
