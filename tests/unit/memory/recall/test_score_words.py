"""Every part of a score that anybody is shown has its meaning."""

from __future__ import annotations

from memory.recall.ranking.features import GROUPS
from memory.recall.relevance import DENSE, WORDS
from memory.recall.score_words import MEANINGS, score_words
from memory.recall.stages import PLACE


def test_no_part_is_left_unexplained() -> None:
    shown = {*GROUPS, *GROUPS.values(), DENSE, WORDS, PLACE, "cosine", "importance", "confidence"}
    assert shown <= MEANINGS.keys()


def test_each_is_said_once() -> None:
    assert score_words(["dense", "no part", "dense"]) == "dense: closeness in meaning."
    assert score_words([]) == ""
