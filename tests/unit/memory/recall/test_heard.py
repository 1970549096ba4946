"""Whom a question names of those who wrote."""

from __future__ import annotations

import pytest

from memory.facts.entities.answering import asks_all_of_somebody
from memory.recall.heard import names


@pytest.mark.parametrize(
    ("question", "name", "expected"),
    [
        ("When is Hanna's birthday?", "Hanna Vogel", True),
        ("when is hanna’s birthday", "Hanna Vogel", True),
        ("Wo ist Hannas Geburtstag?", "Hanna Vogel", True),
        ("What did Vogel say?", "Hanna Vogel", True),
        ("Что ты знаешь о Ханне?", "Ханна", True),
        ("¿Qué sabes de Núria?", "Núria", True),
        ("When is Johanna's birthday?", "Hanna", False),
        ("¿Qué sabes de la boda?", "María de la Torre", False),
        ("Will it rain?", "Will Smith", False),
        ("Where does Will live?", "Will Smith", True),
        ("What is 49?", "+49 151 234", False),
        ("Where do I live?", "", False),
    ],
)
def test_a_name_is_told_by_any_part_of_it(question: str, name: str, expected: bool) -> None:
    assert names(question, name) is expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What do you know about Hanna?", True),
        ("tell me everything about Kevin", True),
        ("Who is Nuria?", True),
        ("Was weißt du über Hanna?", True),
        ("¿Quién es Nuria?", True),
        ("¿Qué sabes de Kevin?", True),
        ("O que você sabe sobre o Kevin?", True),
        ("Что ты знаешь о Кевине?", True),
        ("Who is Hanna's husband?", False),
        ("Who is my sister?", False),
        ("Wer ist meine Schwester?", False),
        ("Who is coming on Saturday with us tonight?", False),
        ("When is Hanna's birthday?", False),
    ],
)
def test_what_asks_for_all_of_somebody(question: str, expected: bool) -> None:
    assert asks_all_of_somebody(question) is expected
