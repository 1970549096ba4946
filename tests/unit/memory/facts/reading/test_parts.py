"""Long messages in parts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory.facts.reading.parts import MAX_PART, parts_of


@given(st.text("ab .\n!", max_size=4 * MAX_PART))
def test_parts_are_the_text_in_order_and_none_is_too_long(text: str) -> None:
    parts = list(parts_of(text))
    assert "".join(part for _, part in parts) == text
    assert [start for start, _ in parts] == [
        sum(len(part) for _, part in parts[:at]) for at in range(len(parts))
    ]
    assert all(len(part) <= MAX_PART for _, part in parts)


def test_a_cut_falls_between_sentences() -> None:
    text = "I live in Porto. " * 60
    assert all(part.endswith(". ") for _, part in parts_of(text))


def test_the_largest_text_without_a_blank_is_cut_in_bounded_time() -> None:
    assert len(list(parts_of("x" * 65_536))) == -(-65_536 // MAX_PART)
