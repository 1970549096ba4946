"""What a turn searches with is bounded, however much was said and quoted."""

from __future__ import annotations

import re
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.domain.recalls import Hit
from memory.recall.query import (
    MAX_CHUNKS,
    MAX_QUOTED_CHARS,
    MAX_WORDS,
    best_of,
    query_chunks,
    query_words,
    with_quoted,
)
from memory.text.chunks import MAX_TOKENS, estimate_tokens

LONGEST = 65_536


@given(st.text(max_size=50), st.lists(st.text(max_size=2_000), max_size=5))
def test_what_is_quoted_follows_what_was_said_within_bounds(said: str, quoted: list[str]) -> None:
    query = with_quoted(said, quoted)
    assert query.startswith(said)
    assert len(query) <= len(said) + MAX_QUOTED_CHARS + len(quoted)


def test_a_short_query_is_searched_for_as_it_is() -> None:
    assert query_chunks("Where does Anna work?") == ["Where does Anna work?"]
    assert query_words("Where does Anna work?") == "Where does Anna work?"


@pytest.mark.parametrize(
    "query",
    [
        " ".join(f"word{n}" for n in range(60_000))[:LONGEST],
        "x" * LONGEST,
        "!" * LONGEST,
        "слово " * (LONGEST // 6),
        "日" * LONGEST,
        " " * LONGEST,
    ],
)
def test_a_query_of_the_largest_size_is_bounded_in_parts_and_time(query: str) -> None:
    began = perf_counter()
    chunks, words = query_chunks(query), query_words(query)
    assert perf_counter() - began < 1
    assert len(chunks) <= MAX_CHUNKS
    assert all(estimate_tokens(chunk) <= MAX_TOKENS for chunk in chunks)
    assert len(re.findall(r"\w+", words)) <= MAX_WORDS


def test_beginning_and_end_of_a_long_query_are_read() -> None:
    chunks = query_chunks("Hello Anna. " + "We walked along the river. " * 2_000 + "Who is Bo?")
    assert "Hello Anna." in chunks[0]
    assert "Who is Bo?" in chunks[-1]


def test_of_several_searches_the_best_score_counts() -> None:
    found = best_of([[Hit("a", 0.2), Hit("b", 0.9)], [Hit("a", 0.5), Hit("c", 0.1)]], 2)
    assert found == [Hit("b", 0.9), Hit("a", 0.5)]
