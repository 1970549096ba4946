"""Replies are broken at words, whatever pieces they come in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ui.cli.wrapping import Wrapping, wrapped

WORDS = st.lists(st.text("abcdefgh", min_size=1, max_size=9), min_size=1, max_size=40)


def test_no_word_is_broken_and_lines_are_indented() -> None:
    assert wrapped("You live in Lisbon, by the river", 20, 4) == (
        "You live in\n    Lisbon, by the\n    river"
    )


@given(WORDS, st.data())
def test_pieces_make_the_same_lines_as_the_whole(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    wrapping = Wrapping(24, 10)
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    written = "".join(map(wrapping.feed, pieces)) + wrapping.end()
    assert written == wrapped(text, 24, 10)
    assert written.split() == words
    first, *rest = written.split("\n")
    assert len(first) + 10 <= 24
    assert all(len(line) <= 24 and line[:11].strip() == line[10] for line in rest)


def test_breaks_of_the_text_stay() -> None:
    assert wrapped("One.\n\n- two", 40, 2) == "One.\n\n  - two"


def test_text_without_spaces_is_broken_between_wide_characters() -> None:
    lines = wrapped("我住在里斯本并且对花生过敏", 12).split("\n")
    assert max(map(cell_len, lines)) == 12
    assert len(lines) == 3


def test_an_address_stays_whole() -> None:
    address = "https://example.org/" + "a" * 60
    assert wrapped(f"See {address} thereafter", 30, 4) == f"See\n    {address}\n    thereafter"
