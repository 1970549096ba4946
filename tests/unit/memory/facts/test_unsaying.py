"""What is left of a message when something that it told is forgotten."""

from __future__ import annotations

import pytest

from memory.facts.unsaying import Stated, left_of

AGE = Stated("age", "34")
LEEDS = Stated("home", "Leeds")
REX = Stated("pet", "Rex")


@pytest.mark.parametrize(
    ("said", "gone", "staying", "left"),
    [
        ("I am 34.", AGE, [], ""),
        ("I am 34 and live in Leeds.", AGE, [LEEDS], ""),
        ("I am 34. I live in Leeds.", AGE, [LEEDS], "I live in Leeds."),
        ("Call at 7.30! I'm 34.\nThe flat is No. 3.", AGE, [], "Call at 7.30! The flat is No. 3."),
        ("I have a dog. He is called Rex. See you at 5!", REX, [], "See you at 5!"),
        ("My dog is Rex. My cat is Tom.", REX, [Stated("pet", "Tom")], "My cat is Tom."),
        ("Ich habe einen Hund. Er heißt Rex. Bis um 5!", REX, [], "Bis um 5!"),
        ("У меня собака. Её зовут Rex. До пяти!", REX, [], "До пяти!"),
        ("I paid 340 for it. I am 34.", AGE, [], "I paid 340 for it."),
        ("I turned thirty-four. It rains.", AGE, [], ""),
        ("I turned thirty-four. It rains.", Stated("age", "34", (9, 20)), [], "It rains."),
    ],
)
def test_sentences_that_tell_it_go_and_the_others_stay(
    said: str, gone: Stated, staying: list[Stated], left: str
) -> None:
    assert left_of(said, said, [gone], staying).replace("\n", " ") == left


def test_what_went_before_does_not_come_back() -> None:
    said = "I am 34. I live in Leeds. It rains."
    once = left_of(said, said, [AGE], [LEEDS])
    assert left_of(said, once, [LEEDS]) == "It rains."
    assert left_of(said, "It rains.", [AGE]) == "It rains."
