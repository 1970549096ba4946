"""Forms of a word share a stem, in either script."""

from __future__ import annotations

import pytest

from memory.text.words import STOP_WORDS, stem


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
