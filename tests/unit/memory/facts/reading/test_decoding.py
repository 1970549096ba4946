"""From scores to spans: extent, status, confidence."""

from __future__ import annotations

import numpy as np

from memory.facts.reading.decoding import Floats, best_tags, spans_of
from memory.facts.reading.labels import KEYS, OUTSIDE, STATUSES, TAG_COUNT, goes_on, opens

WORDS = [(0, 1), (2, 4), (5, 8), (9, 15)]


def scores(*tags: int) -> Floats:
    """Return scores by which each word has one tag, nearly surely."""
    found = np.zeros((len(tags), TAG_COUNT), np.float32)
    found[np.arange(len(tags)), list(tags)] = 12.0
    return found


def held(count: int, status: str = "stated") -> Floats:
    found = np.zeros((count, len(STATUSES)), np.float32)
    found[:, STATUSES.index(status)] = 12.0
    return found


def test_every_tag_is_one_keys_opening_or_further_word() -> None:
    tags = [OUTSIDE, *(tag for key in KEYS for tag in (opens(key), goes_on(key)))]
    assert sorted(tags) == list(range(TAG_COUNT))


def test_words_of_one_key_are_one_span_and_two_openings_are_two() -> None:
    path = scores(OUTSIDE, opens("home"), goes_on("home"), opens("home"))
    found = spans_of(path, held(4), WORDS)
    assert [(s.start, s.end, s.key, s.status) for s in found] == [
        (2, 8, "home", "stated"),
        (9, 15, "home", "stated"),
    ]
    assert all(span.confidence > 0.99 for span in found)


def test_a_further_word_never_stands_without_an_opening_of_its_key() -> None:
    path = best_tags(scores(goes_on("home"), OUTSIDE, opens("pet"), goes_on("home")))
    openings = {goes_on(key): {opens(key), goes_on(key)} for key in KEYS}
    before = OUTSIDE
    for tag in path:
        assert tag not in openings or before in openings[int(tag)]
        before = int(tag)


def test_the_status_is_that_of_the_whole_span() -> None:
    status = held(4, "ended")
    status[2] = held(1, "nobody")[0] / 3
    path = scores(OUTSIDE, opens("diet"), goes_on("diet"), OUTSIDE)
    (span,) = spans_of(path, status, WORDS)
    assert span.status == "ended"
    assert span.confidence < 0.99


def test_a_text_without_words_has_no_span() -> None:
    assert spans_of(scores(), held(0), []) == []
