"""The `rank-bm25` package: BM25Okapi over lower-cased words.

Source: its README; it leaves lower-casing, stems and stop words to its user.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from evals.recall.cases import CaseTurn
from evals.systems.system import Found, Place, said

_WORD = re.compile(r"\w+")


class RankBm25:
    """An index in memory, built from the whole conversation at once."""

    name = "rank-bm25"
    embeds = False

    def __init__(self, place: Place) -> None:
        del place
        self._okapi = import_module("rank_bm25").BM25Okapi
        self._index: Any = None  # Any: rank-bm25 has no types
        self._ids: list[str] = []

    def ingest(self, turns: Sequence[CaseTurn]) -> None:
        """Build the index; the package cannot take a document without words, or none at all."""
        words = [(each.turn.id, _words(each.text)) for each in said(turns)]
        kept = [(turn, each) for turn, each in words if each]
        self._ids = [turn for turn, _ in kept]
        self._index = self._okapi([each for _, each in kept]) if kept else None

    def search(self, query: str, k: int) -> Found:
        """Rank every turn; the earlier first where scores are equal."""
        if self._index is None:
            return Found((), 0.0)
        scores = self._index.get_scores(_words(query))
        best = np.argsort(-scores, kind="stable")[:k]
        return Found(tuple(self._ids[index] for index in best), float(scores[best[0]]))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
