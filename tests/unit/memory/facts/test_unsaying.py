"""What is left of a message when something that it told is forgotten."""

from __future__ import annotations

import time

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
        ("I am 34 and I live in Leeds.", AGE, [LEEDS], "I live in Leeds."),
        ("I live in Leeds, and I'm 34. It rains.", AGE, [LEEDS], "I live in Leeds. It rains."),
        (
            "My dog is Rex, I'm 34 and I live in Leeds!",
            AGE,
            [LEEDS, REX],
            "My dog is Rex and I live in Leeds!",
        ),
        ("I am 34 and I feel well.", AGE, [], ""),
        ("I am 34 and I feel like 34 in Leeds.", AGE, [LEEDS], ""),
        ("If I turn 34, I live in Leeds.", AGE, [LEEDS], ""),
        ("Ana says I am 34 and I live in Leeds.", AGE, [LEEDS], ""),
        ("Ich bin 34 und ich wohne in Leeds.", AGE, [LEEDS], "Ich wohne in Leeds."),
        ("Ich bin 34 und wohne in Leeds.", AGE, [LEEDS], ""),
        ("Tengo 34 años y vivo en Leeds.", AGE, [LEEDS], "Vivo en Leeds."),
        ("Tenho 34 anos e moro em Leeds.", AGE, [LEEDS], "Moro em Leeds."),
        ("Мне 34 года, и я живу в Leeds.", AGE, [LEEDS], "Я живу в Leeds."),
        ("I am 34 and I live in Leeds", Stated("age", "34", (5, 7)), [LEEDS], "I live in Leeds"),
        (
            "It rains. I turned thirty-four, I live in Leeds.",
            Stated("age", "34", (19, 30)),
            [LEEDS],
            "It rains. I live in Leeds.",
        ),
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
    said = "My dog is Rex, I'm 34 and I live in Leeds. It rains."
    once = left_of(said, said, [AGE], [LEEDS, REX])
    assert once == "My dog is Rex and I live in Leeds. It rains."
    twice = left_of(said, once, [REX], [LEEDS])
    assert twice == "I live in Leeds. It rains."
    assert left_of(said, twice, [LEEDS]) == "It rains."


def test_a_long_message_takes_no_time() -> None:
    for said in ("'" * 60_000 + "a", "I am 34, i " * 20_000, ", " * 30_000 + "i 34"):
        began = time.process_time()
        left_of(said, said, [AGE], [LEEDS])
        assert time.process_time() - began < 3
