"""What a turn searches with: what was said, then what that quotes, within bounds. Pure.

An embedder reads a few hundred tokens, so that a long query is searched for piece by piece.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from heapq import nlargest

from memory.domain.recalls import Hit
from memory.text.chunks import split_for_embedding
from memory.text.excerpts import cut

MAX_QUOTED_CHARS = 1_000
"""Of all that is quoted, so much stands in the query: more would drown what is asked."""
MAX_CHARS = 24_000
"""Of a longer query the beginning and the end are read."""
MAX_CHUNKS = 8
"""So many pieces of a query are embedded: the first, the last, and those that say most."""
MAX_WORDS = 1_000
"""Distinct words of a query that are looked up; those of its beginning and its end."""
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


def query_chunks(query: str) -> list[str]:
    """Return what an embedder reads of a query: the whole of it, up to `MAX_CHUNKS` pieces.

    Of more pieces those are left out that have the fewest words of their own: in a long message
    what is asked stands out from what is told again and again.
    """
    chunks = split_for_embedding(_bounded(query))
    if len(chunks) <= MAX_CHUNKS:
        return chunks
    words = [set(_WORD.findall(chunk.casefold())) for chunk in chunks]
    spread = Counter(word for each in words for word in each)
    own = [sum(spread[word] == 1 for word in each) for each in words]
    inner = nlargest(MAX_CHUNKS - 2, range(1, len(chunks) - 1), key=own.__getitem__)
    return [chunks[index] for index in sorted([0, *inner, len(chunks) - 1])]


def query_words(query: str) -> str:
    """Return the query for the lexical index: of a long one its distinct words, not too many."""
    words = list(dict.fromkeys(_WORD.findall(_bounded(query).casefold())))
    if len(query) <= MAX_CHARS and len(words) <= MAX_WORDS:
        return query
    half = MAX_WORDS // 2
    return " ".join(words if len(words) <= MAX_WORDS else [*words[:half], *words[-half:]])


def _bounded(query: str) -> str:
    half = MAX_CHARS // 2
    return query if len(query) <= MAX_CHARS else f"{query[:half]}\n{query[-half:]}"


def best_of(found: Sequence[Sequence[Hit]], limit: int) -> list[Hit]:
    """Return the hits of several searches as one list, each item with its best score.

    The best chunk decides: a mean over the chunks finds less, since most of a long message is not
    what is asked.
    """
    best: dict[str, float] = {}
    for hit in (hit for hits in found for hit in hits):
        best[hit.item_id] = max(best.get(hit.item_id, hit.score), hit.score)
    return nlargest(limit, map(Hit, best, best.values()), key=lambda hit: hit.score)
