"""Forms of a word share a stem, in either script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.words import STOP_WORDS, has_words, normalise, stem


@pytest.mark.parametrize(
    "forms",
    [
        ("hiking", "hikes", "hiked"),
        ("city", "cities"),
        ("running", "runs"),
        ("книга", "книги", "книгу"),
    ],
)
def test_forms_of_a_word_share_a_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


def test_other_words_and_scripts_are_told_apart() -> None:
    assert stem("university") != stem("unity")
    assert stem("猫") == "猫"
    assert stem("") == ""
    assert "hike" not in STOP_WORDS


@given(st.text(st.characters(max_codepoint=127), max_size=30))
def test_a_text_of_ascii_alone_is_normalised_as_one_that_is_not(text: str) -> None:
    assert normalise(f"{text} é") == f"{normalise(text)} é".strip()


def test_apostrophes_links_and_marks_are_no_part_of_words() -> None:
    assert normalise("It's O’Neil_X, see https://a.de/B?c=1 ok!") == "its oneil x see ok"
    assert normalise("See https://a.de, it's OK") == "see its ok"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("allergy peanuts and walnuts", "walnut"),
        ("email jo@example.com", "jo@example.com"),
        ("home New York", "york new"),
        ("pet Рекс, собака", "собаку"),
        ("home 東京都", "東京"),
        ("like ❤️ cats", "❤️"),
    ],
)
def test_a_text_has_words_in_other_forms_too(text: str, words: str) -> None:
    assert has_words(text, words)


@pytest.mark.parametrize(
    ("text", "words"),
    [("name Petra", "pet"), ("home Washington", "wash"), ("like cats", "+++"), ("like cats", " ")],
)
def test_a_part_of_a_word_is_none(text: str, words: str) -> None:
    assert not has_words(text, words)
