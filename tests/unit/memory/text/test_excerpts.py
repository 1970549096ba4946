"""Excerpts hold what they were made for, within their limit."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from memory.text.excerpts import cut, sentence_with

LONG = "We went home. Then it rained. " * 2000


def test_the_sentence_with_the_words_is_shown() -> None:
    text = f"{LONG}I am allergic to walnuts! {LONG}"
    assert sentence_with(text, "walnuts", 240) == "I am allergic to walnuts!"
    text = "Hi. I'm at jo@example.com, born on 3.5.88 at 7.30! Bye."
    assert sentence_with(text, "3.5.88", 240) == "I'm at jo@example.com, born on 3.5.88 at 7.30!"
    assert sentence_with("最初です。東京に住んでいます。", "東京", 240) == "東京に住んでいます。"


def test_a_value_that_was_put_into_other_words_is_found_by_one_of_them() -> None:
    assert sentence_with("Hi there. Our dog is Bruno.", "a dog", 240) == "Our dog is Bruno."
    assert sentence_with("Hi there. Our dog is Bruno.", "cat", 240) == "Hi there."


def test_the_words_stand_in_what_is_left_of_an_endless_sentence() -> None:
    shown = sentence_with(f"{'so ' * 9000}I live in Lisbon {'now ' * 9000}", "Lisbon", 100)
    assert "Lisbon" in shown
    assert len(shown) <= 100


@given(st.text(), st.text(max_size=10), st.integers(1, 300))
def test_excerpts_keep_their_limit(text: str, words: str, limit: int) -> None:
    assert len(sentence_with(text, words, limit)) <= limit
    assert len(cut(text, limit)) <= limit


def test_thousands_of_dots_are_read_in_linear_time() -> None:
    started = time.thread_time()
    assert len(sentence_with(f"I live in Lisbon{'.' * 60_000}x", "Lisbon", 240)) <= 240
    assert time.thread_time() - started < 0.5


def test_a_sentence_does_not_end_at_an_abbreviation() -> None:
    text = "I'm a nurse at St. Mary's. My dentist is Dr. Who."
    assert sentence_with(text, "nurse", 100) == "I'm a nurse at St. Mary's."
    assert sentence_with(text, "dentist", 100) == "My dentist is Dr. Who."
