"""Of a long text the part is shown that has the words that are looked for."""

from __future__ import annotations

from time import process_time

import pytest

from memory.text.excerpts import about
from memory.text.words import content_stems

FILLER = "We walked along the river for a while. "
LIMIT = 200


def _about(text: str, question: str) -> str:
    return about(text, content_stems(question), LIMIT)


def test_a_text_that_fits_stays_whole() -> None:
    assert _about(FILLER * 5, "the boiler") == FILLER * 5


@pytest.mark.parametrize("before", [0, 1, 20, 200])
@pytest.mark.parametrize("after", [0, 20])
def test_it_shows_where_most_of_the_words_stand(before: int, after: int) -> None:
    said = "The boiler is a Vaillant from 2019. "
    text = f"{FILLER * before}{said}{FILLER * max(after, 20 - before)}"
    shown = _about(text, "What brand is the boiler?")
    assert said.strip() in shown
    assert len(shown) <= LIMIT
    assert shown.startswith("…") is (before > 1)


def test_a_rare_word_counts_more_than_one_that_is_everywhere() -> None:
    text = f"{'The house is fine. ' * 30}The boiler of the house leaks. {'The house is old. ' * 30}"
    assert "boiler" in _about(text, "Which house has the boiler?")


def test_without_any_of_the_words_the_beginning_is_shown() -> None:
    text = "First of all, hello. " + FILLER * 30
    assert _about(text, "the boiler").startswith("First of all, hello.")
    assert _about(text, "").startswith("First of all, hello.")


def test_one_endless_sentence_is_cut() -> None:
    assert len(_about("boiler " * 5_000, "the boiler")) <= LIMIT


def test_it_takes_time_in_proportion() -> None:
    began = process_time()
    _about("The boiler leaks. " * 20_000, "the boiler")
    assert process_time() - began < 3
