"""A question with those named whom it means by a noun."""

from __future__ import annotations

import pytest

from memory.recall.aliases import by_name
from memory.recall.block import FactLine

KNOWN = (
    FactLine("spouse", "Jo", "My wife is called Jo"),
    FactLine("child", "Max", "We have two boys, Max and Eli"),
    FactLine("child", "Eli"),
    FactLine("pet", "a horse called Thunder", "I have a horse called Thunder"),
    FactLine("pet", "Mia", "Mia the cat is ill"),
    FactLine("sibling", "Tom", "my brother Tom"),
    FactLine("home", "Bristol", "I live in Bristol"),
)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Where does my wife work?", "Where does Jo work?"),
        ("Wo arbeitet meine Frau?", "Wo arbeitet Jo?"),
        ("¿Dónde trabaja mi esposa?", "¿Dónde trabaja Jo?"),
        ("Где работает моя жена?", "Где работает Jo?"),
        ("what is my wife's job", "what is Jo's job"),
        ("How old are my kids?", "How old are Max, Eli?"),
        ("what does my cat eat", "what does Mia eat"),
        ("what does my dog eat", ""),
        ("Where does my sister live?", ""),
        ("Where does my brother live?", "Where does Tom live?"),
        ("Where does my husband live?", ""),
        ("Where does my boss live?", ""),
        ("Where is my home?", ""),
        ("Where do I live?", ""),
        ("", ""),
    ],
)
def test_relatives_are_named_where_their_names_are_known(question: str, named: str) -> None:
    assert by_name(question, KNOWN) == named


def test_of_whom_nothing_is_known_nobody_is_named() -> None:
    assert by_name("Where does my wife work?", []) == ""
