"""Without a model, what tells something of who writes it is acknowledged, and not answered."""

from __future__ import annotations

import pytest

from graph.models.offline.answers import Heard, answer
from graph.models.offline.frames import FRAMES
from graph.models.offline.stating import asks_nothing, states
from memory.recall.block import AsksFor, FactLine, MemoryBlock

STATES = [
    "I hate cilantro",
    "I have two kids, Leo (7) and Mia (4).",
    "no wait, I actually love cilantro",
    "My dog is called Rex",
    "Our flat has four rooms",
    "Ich hasse Koriander",
    "Meine Tochter ist sieben",
]
MAY_ASK = [
    "my phone number",
    "my birthday is",
    "things I hate",
    "I forgot my own number",
    "I need to know my shoe size",
    "I'm 15 or 16",
    "I have two kids?",
    "was hasse ich",
]


@pytest.mark.parametrize("text", STATES)
def test_who_tells_of_themselves_asks_nothing(text: str) -> None:
    assert states(text)
    assert asks_nothing(text)


@pytest.mark.parametrize("text", ["У меня есть кот Барсик", "Mi hermano vive en Londres"])
def test_what_tells_in_a_language_that_asks_by_tone_states(text: str) -> None:
    assert states(text)
    assert not asks_nothing(text)
    assert answer(Heard(text, is_first=False), MemoryBlock(asks_for=(AsksFor("pet", 0.99),))) in {
        frames.acknowledged for frames in FRAMES.values()
    }


@pytest.mark.parametrize("text", MAY_ASK)
def test_what_may_ask_is_left_to_what_was_learnt(text: str) -> None:
    assert not states(text)


def _said(text: str, *facts: FactLine) -> str:
    memory = MemoryBlock(facts=facts, asks_for=(AsksFor("dislike", 0.99),))
    return answer(Heard(text, is_first=False), memory)


def test_a_statement_is_acknowledged_even_where_it_was_taken_to_ask() -> None:
    olives = FactLine("dislike", "olives", "I hate olives.")
    for facts in ((), (olives,)):
        assert _said("I hate cilantro", *facts) == "Got it."
    assert "olives" in _said("things I hate", olives)


def test_where_order_does_not_tell_a_question_from_a_statement_what_is_known_decides() -> None:
    assert _said("odio el cilantro de verdad yo") in ("Anotado.", "Got it.")
    child = FactLine("dislike", "cilantro", "Odio el cilantro.")
    assert "cilantro" in _said("odio el cilantro", child)
