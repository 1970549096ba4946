"""Splitting keeps every word and the order, and respects the limit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory.text.chunks import chunk_id, estimate_tokens, item_of_chunk, split_for_embedding


def test_text_that_fits_is_left_as_it_is() -> None:
    assert split_for_embedding(" Hello there. ") == [" Hello there. "]


def test_cuts_fall_at_sentence_ends() -> None:
    chunks = split_for_embedding("One two three. Four five six! Seven eight?", max_tokens=8)
    assert chunks == ["One two three. Four five six!", "Seven eight?"]


@given(st.text(max_size=400), st.integers(1, 40))
def test_no_character_but_white_space_is_lost(text: str, limit: int) -> None:
    chunks = split_for_embedding(text, max_tokens=limit)
    assert "".join("".join(chunks).split()) == "".join(text.split())


@given(st.text(max_size=400), st.integers(2, 40))
def test_chunks_stay_within_the_limit(text: str, limit: int) -> None:
    assert all(estimate_tokens(chunk) <= limit for chunk in split_for_embedding(text, limit))


def test_chunk_names_lead_back_to_their_item() -> None:
    assert item_of_chunk(chunk_id("uid", 12)) == "uid"
    assert item_of_chunk("uid") == "uid"
    assert item_of_chunk("a#b") == "a#b"
