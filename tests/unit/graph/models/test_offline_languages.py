"""In which language a message is answered."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.models.offline.languages import SPOKEN, language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Where did Anna move to?", "en"),
        ("Kit's last name?", "en"),
        ("Was was the cat's name?", "en"),
        ("Wo wohne ich?", "de"),
        ("Was nimmt Mira in den Kaffee?", "de"),
        ("Marke meines kaputten Fernsehers", "de"),
        ("danke", "de"),
        ("¿Cómo me llamo?", "es"),
        ("por que motivo agradecí?", "es"),
        ("hola", "es"),
        ("Onde eu moro?", "pt"),
        ("que comida encomendei para o hospital", "pt"),
        ("Mensalidade atual do basquete?", "pt"),
        ("obrigada", "pt"),
        ("Где я живу?", "ru"),
    ],
)
def test_a_message_has_the_language_of_its_words(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    "text",
    [
        *("", "???", "Alex?", "q", "Comment je m'appelle ?", "Où j'habite ?", "שלום", "ciao"),
        "https://example.com/das/ist/ein-haus?e=1",
    ],
)
def test_what_is_open_or_has_no_phrases_is_answered_in_english(text: str) -> None:
    assert language_of(text) == "en"


@given(st.text(max_size=600))
def test_every_text_has_a_language(text: str) -> None:
    assert language_of(text) in SPOKEN


@pytest.mark.parametrize(
    "text",
    [
        "Jak ma na imię moja córka?",
        "Jak ma na imie moja corka?",
        "Mam na imię Tomasz",
        "Hoe heet mijn dochter?",
        "Kde jsem? Jaké je moje jméno?",
    ],
)
def test_a_language_that_is_not_spoken_is_answered_in_english(text: str) -> None:
    assert language_of(text) == "en"


@pytest.mark.parametrize(
    ("text", "language"),
    [("Onde mora o Dvořák?", "pt"), ("Wo wohnt Małgorzata?", "de"), ("¿Dónde vive Łukasz?", "es")],
)
def test_a_foreign_name_changes_no_language(text: str, language: str) -> None:
    assert language_of(text) == language
