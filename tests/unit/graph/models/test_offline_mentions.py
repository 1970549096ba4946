"""What was said about something, or in a named time, is quoted where all of it is asked for."""

from __future__ import annotations

import pytest

from graph.models.offline.answers import Heard, answer, answer_with_sources, says_unknown
from graph.models.offline.candidates import Source
from memory.recall.block import AsksFor, FactLine, MemoryBlock, PassageLine

BAND = "Saw Radiohead in Berlin with my friend Jo"
LUNCH = "Lunch with Clara at Da Enzo"
ANNAS = "I am moving to Ghent"
MEMORY = MemoryBlock(
    facts=(
        FactLine("friend", "Jo", BAND),
        FactLine("sibling", "Tom", "My brother Tom is late"),
        FactLine("home", "Leeds"),
    ),
    passages=(
        PassageLine("2026-05-03 10:00", "you", BAND),
        PassageLine("2026-04-20 10:00", "you", LUNCH),
        PassageLine("2026-04-21 09:00", "Anna", ANNAS),
        PassageLine("2026-04-22 09:00", "you", "My brother Tom is late"),
    ),
    now="Sunday 2026-05-10 10:00",
    certainty=0.2,
)


def said(text: str, memory: MemoryBlock = MEMORY) -> str:
    return answer(Heard(text, is_first=False), memory)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What did I tell you about Jo?", BAND),
        ("what did I say about Radiohead?", BAND),
        ("Was habe ich dir über Jo erzählt?", BAND),
        ("¿Qué te conté de Jo?", BAND),
        ("O que te contei sobre o Jo?", BAND),
        ("Что я тебе рассказывал про Jo?", BAND),
        ("can you list everything I told you about Clara?", LUNCH),
        ("list everything I've told you about my brother", "Tom is late"),
    ],
)
def test_what_was_said_about_somebody_is_quoted(question: str, told: str) -> None:
    reply = said(question)
    assert told in reply
    assert "Leeds" not in reply


def test_whoever_is_known_is_told_and_a_stranger_is_not() -> None:
    assert said("Who is Jo?").startswith("Your friend is Jo.")
    assert LUNCH in said("Who is Clara?")
    assert says_unknown(said("Who is Peter?"))
    assert says_unknown(said("What did I tell you about Peter?"))


def test_everything_about_me_is_still_everything() -> None:
    memory = MemoryBlock(MEMORY.facts, asks_for=(AsksFor("*", 0.9),))
    assert "Leeds" in said("tell me everything you know about me", memory)


@pytest.mark.parametrize(
    ("question", "told", "untold"),
    [
        ("What did I write on 20 April?", LUNCH, BAND),
        ("Was habe ich am 20. April geschrieben?", LUNCH, BAND),
        ("What did Anna say in April?", ANNAS, LUNCH),
        ("what happened on 3 May?", BAND, LUNCH),
    ],
)
def test_of_a_named_time_its_lines_are_told(question: str, told: str, untold: str) -> None:
    reply = said(question)
    assert told in reply
    assert untold not in reply


def test_a_time_beside_a_matter_tells_no_other_matter() -> None:
    assert LUNCH not in said("What did the doctor say in April?")


BLUR = MemoryBlock(
    facts=(
        FactLine("favorite:band", "Blur", "my favourite band is Blur"),
        FactLine("favorite:comida", "paella", "mi comida favorita es la paella"),
    ),
    passages=(PassageLine("2026-05-03 10:00", "you", "my favourite band is Blur", chance=0.6),),
    asks_for=(AsksFor("favorite", 0.9),),
    certainty=0.6,
)


@pytest.mark.parametrize(
    "question",
    [
        "what's my favourite film?",
        "which is my favorite colour?",
        "was ist meine Lieblingsfarbe?",
        "¿cuál es mi canción favorita?",
        "qual é o meu filme favorito?",
        "какой мой любимый цвет?",
    ],
)
def test_another_favourite_is_no_answer(question: str) -> None:
    assert says_unknown(said(question, BLUR))


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("what's my favourite band?", "Blur"),
        ("¿cuál es mi comida favorita?", "paella"),
        ("what are my favourite things?", "Blur"),
    ],
)
def test_the_favourite_that_is_asked_for_is_told(question: str, told: str) -> None:
    assert told in said(question, BLUR)


def test_a_favourite_is_called_so_in_the_language_of_the_question() -> None:
    assert said("¿cuál es mi comida favorita?", BLUR).startswith("Tu preferencia (comida): paella.")


@pytest.mark.parametrize(
    "question",
    [
        "what did I just say?",
        "What was my last message?",
        "Was habe ich gerade gesagt?",
        "¿Cuál fue mi último mensaje?",
        "O que eu acabei de dizer?",
        "Что я только что сказал?",
    ],
)
def test_what_was_said_last_is_quoted(question: str) -> None:
    heard = Heard(question, "", ("I am tired", "I like tea"), (3, 1), is_first=False)
    told = answer_with_sources(heard, MemoryBlock())
    assert "I am tired" in told.text
    assert told.used == {Source("window", 3)}


def test_what_i_said_is_nobody_elses_and_never_the_agents() -> None:
    memory = MemoryBlock(
        passages=(
            PassageLine("2026-05-03 10:00", "you", BAND),
            PassageLine("2026-05-03 10:01", "agent", "You saw Radiohead, you said."),
            PassageLine("2026-05-03 10:02", "Anna", "Radiohead? I saw them, too"),
        ),
        now="Sunday 2026-05-10 10:00",
    )
    for question in ("What did I say about Radiohead?", "What did I write on 3 May?"):
        reply = said(question, memory)
        assert BAND in reply
        assert "too" not in reply
        assert "you said" not in reply
