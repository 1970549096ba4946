"""Without a model, what was talked about is told from the summary of an episode."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graph.models.offline.answers import Heard, answer_with_sources
from graph.models.offline.candidates import Source
from graph.models.offline.frames import FRAMES
from memory.recall.block import AsksFor, MemoryBlock, PassageLine
from memory.recall.recaps import RECAP, words_ask_for_recap

MEMORY = MemoryBlock(
    episodes=(
        "2026-05-03: Ana compared two databases. Postgres won.",
        "2026-04-01: Ana looked for a flat in Graz.",
    ),
    so_far=("2026-06-01: Ana repaired the red bicycle.",),
)


@pytest.mark.parametrize(
    "question",
    [
        "What did we discuss about databases?",
        "so what have we talked about lately?",
        "What was our last conversation?",
        "can you sum up our chat from last week",
        "Wo waren wir stehen geblieben?",
        "¿En qué quedamos con lo del piso?",
        "Worüber haben wir letztes Mal gesprochen?",
        "Was hatten wir zum Umzug besprochen?",
        "¿De qué hablamos ayer?",
        "Sobre o que conversamos?",
        "О чём мы говорили вчера?",
    ],
)
def test_who_asks_what_was_talked_about_is_understood(question: str) -> None:
    assert words_ask_for_recap(question)


@pytest.mark.parametrize(
    "question",
    [
        "What did you say about databases?",
        "What does Ana talk about?",
        "What are we eating?",
        "Worüber schreibt sie?",
        "¿Qué comemos hoy?",
        "О чём эта книга?",
    ],
)
def test_other_questions_are_left_alone(question: str) -> None:
    assert not words_ask_for_recap(question)


def _told(question: str) -> tuple[str, set[Source]]:
    found = answer_with_sources(Heard(question, is_first=False), MEMORY)
    return found.text, set(found.used)


def test_the_episode_with_the_questions_words_is_told_with_its_day() -> None:
    text, used = _told("What did we discuss about databases?")
    assert text == ("On 3 May 2026 it was about this: “Ana compared two databases. Postgres won.”")
    assert used == {Source("episode", 0)}
    text, used = _told("What did we talk about when I had the red bicycle?")
    assert "red bicycle" in text
    assert used == {Source("so_far", 0)}


def test_of_nothing_in_particular_the_last_one_is_told() -> None:
    assert _told("What did we talk about last time?")[1] == {Source("so_far", 0)}
    assert _told("Worüber haben wir letztes Mal gesprochen?")[0].startswith("Am 1. Juni 2026")


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("What did we talk about earlier?", "Earlier you wrote: “"),
        ("Summarize our conversation", "Earlier you wrote: “"),
        ("Worüber haben wir gesprochen?", "Vorhin hast du geschrieben: „"),
        ("¿De qué hemos hablado?", "Antes escribiste: «"),
        ("Sobre o que falamos?", "Antes você escreveu: “"),
        ("О чём мы говорили?", "Твоё прежнее сообщение: «"),
    ],
)
def test_in_a_young_chat_it_is_told_by_its_last_lines(question: str, start: str) -> None:
    said = ("Why?", "The pump broke again.", "I planted twenty tulips.", "ok", "Sum up our chat")
    heard = Heard(
        question, is_first=False, earlier=(*said, "I rented a garden."), places=(*range(6),)
    )
    text, used = answer_with_sources(heard, MemoryBlock())
    assert text.startswith(start)
    assert text.index("garden") < text.index("tulips") < text.index("pump")
    assert set(used) == {Source("window", n) for n in (1, 2, 5)}


@pytest.mark.parametrize(
    "question",
    [
        "Remind me what we talked about today",
        "give me a quick overview of all that, please",
        "woran waren wir?",
    ],
)
def test_what_its_search_takes_for_a_recap_needs_no_wording(question: str) -> None:
    heard = Heard(question, is_first=False, earlier=("I planted twenty tulips.",), places=(0,))
    learnt = MemoryBlock(asks_for=(AsksFor(RECAP, 0.6),))
    assert "tulips" in answer_with_sources(heard, learnt).text
    assert "tulips" not in answer_with_sources(heard, MemoryBlock(asks_for=())).text


def test_who_tells_something_is_given_no_recap() -> None:
    told = Heard("Nos mudamos a Vigo la semana pasada", is_first=False, earlier=("Planté lirios.",))
    unsure, sure = (MemoryBlock(asks_for=(AsksFor(RECAP, chance),)) for chance in (0.7, 0.85))
    assert answer_with_sources(told, unsure).text == FRAMES["es"].acknowledged
    assert "lirios" in answer_with_sources(told, sure).text


def test_what_is_less_likely_a_recap_comes_behind_what_answers() -> None:
    line = PassageLine("2026-05-03", "you", "The tractor needs a new belt.")
    less = (AsksFor(RECAP, 0.5),)
    memory = MemoryBlock(passages=(line,), certainty=0.9, asks_for=less)
    heard = Heard("what was up with the tractor?", is_first=False, earlier=("I planted tulips.",))
    assert "belt" in answer_with_sources(heard, memory).text
    heard = replace(heard, text="anything up lately?")
    assert "tulips" in answer_with_sources(heard, MemoryBlock(asks_for=less)).text
    heard = replace(heard, text="where did I live before?")
    assert "tulips" not in answer_with_sources(heard, MemoryBlock(asks_for=less)).text


def test_a_recap_beside_another_question_answers_no_more_than_itself() -> None:
    heard = Heard(
        "Who sings that? Remind me what we did talk about", earlier=("I planted tulips.",)
    )
    found = answer_with_sources(heard, MemoryBlock(asks_for=(AsksFor(RECAP, 0.6),)))
    assert found.text.count("tulips") == 1


@pytest.mark.parametrize(
    "question",
    [
        "Summarise what we said about the tractor",
        "Was hatten wir zum Traktor besprochen?",
        "¿Qué hablamos de la boda?",
        "O que discutimos sobre o trator?",
        "О чём мы говорили насчёт трактора?",
    ],
)
def test_a_matter_that_a_young_chat_never_had_is_not_told_by_others(question: str) -> None:
    heard = Heard(question, is_first=False, earlier=("I planted twenty tulips.",), places=(0,))
    learnt = MemoryBlock(asks_for=(AsksFor(RECAP, 0.9),))
    assert "tulips" not in answer_with_sources(heard, learnt).text


def test_a_young_chat_that_holds_nothing_is_not_made_up() -> None:
    heard = Heard("What did we talk about?", is_first=False, earlier=("Hello!", "ok"))
    assert answer_with_sources(heard, MemoryBlock()).text == "I don't know that yet."
    beside = Heard("What did we discuss about volcanoes?", earlier=("I planted tulips.",))
    assert "tulips" not in answer_with_sources(beside, MemoryBlock()).text


def test_a_matter_that_was_never_talked_about_is_not_known() -> None:
    assert _told("What did we discuss about volcanoes?")[0] == "I don't know that yet."


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("What did we talk about in April?", "1 April 2026"),
        ("What did we talk about in May?", "3 May 2026"),
        ("Worüber haben wir im April gesprochen?", "1. April 2026"),
        ("What did we talk about lately?", "1 June 2026"),
        ("What did we say about databases last month?", "3 May 2026"),
    ],
)
def test_a_time_that_is_named_is_the_time_that_is_told(question: str, day: str) -> None:
    memory = replace(MEMORY, now="Tuesday 2026-06-02 10:00 (UTC)")
    assert f"{day} " in answer_with_sources(Heard(question, is_first=False), memory).text


@pytest.mark.parametrize(
    "question", ["What did we talk about in March?", "What did we say about the boat in April?"]
)
def test_of_a_time_without_such_a_talk_no_other_is_told(question: str) -> None:
    memory = replace(MEMORY, now="Tuesday 2026-06-02 10:00 (UTC)")
    told = answer_with_sources(Heard(question, is_first=False), memory)
    assert told.text == FRAMES["en"].unknown
