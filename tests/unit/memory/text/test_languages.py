"""Of which language a message is: by the small words that join, ask and point."""

from __future__ import annotations

import pytest

from memory.text.languages import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Where did I put the red coat?", "en"),
        ("Ich habe heute keine Zeit, wir sehen uns morgen.", "de"),
        ("¿Dónde está mi abrigo? No lo encuentro.", "es"),
        ("Não sei onde está o meu casaco.", "pt"),
        ("Я не знаю, где моё пальто.", "ru"),
        ("ok", ""),
        ("👍", ""),
        ("", ""),
        ("12:30", ""),
    ],
)
def test_a_text_is_of_the_language_of_its_small_words(text: str, language: str) -> None:
    assert language_of(text) == language


def test_a_long_text_is_told_by_its_beginning() -> None:
    assert language_of("Das ist nicht mein Mantel. " * 20 + "the a an i my " * 10_000) == "de"
