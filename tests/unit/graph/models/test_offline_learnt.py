"""What a search has learnt to tell of a message decides what is answered, beside its wording."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graph.models.offline.answers import Heard, answer, says_unknown
from graph.models.offline.frames import FRAMES
from memory.recall.block import AsksFor, FactLine, MemoryBlock, PassageLine

FACTS = (
    FactLine("pet", "Gizmo, a ferret"),
    FactLine("employer", "Acme"),
    FactLine("favorite:film", "Stalker"),
    FactLine("favorite:colour", "teal"),
    FactLine("sibling", "a brother, Luca"),
)
PLAYFUL = "who keeps me company on four paws?"


def reply(text: str, *asks_for: AsksFor, knows: bool = True) -> str:
    memory = MemoryBlock(FACTS, asks_for=asks_for if knows else None)
    return answer(Heard(text, is_first=False), memory)


def test_a_question_in_any_words_is_answered_by_what_it_asks_for() -> None:
    assert says_unknown(reply(PLAYFUL, knows=False))
    assert "Gizmo" in reply(PLAYFUL, AsksFor("pet", 0.6))
    assert says_unknown(reply(PLAYFUL, AsksFor("pet", 0.4)))


def test_where_a_line_may_answer_it_has_to_be_likelier() -> None:
    line = PassageLine("2026-05-03", "you", "The ferret keeps me company on its four paws.")
    asks_for = (AsksFor("pet", 0.6),)
    memory = MemoryBlock(FACTS, (line,), certainty=0.9, asks_for=asks_for)
    heard = Heard(PLAYFUL, is_first=False)
    assert "four paws" in answer(heard, memory)
    assert "four paws" not in answer(heard, replace(memory, certainty=0.1))
    assert "four paws" not in answer(heard, replace(memory, asks_for=(AsksFor("pet", 0.7),)))


def test_without_a_question_mark_it_has_to_be_likelier() -> None:
    keywords = "four paws at my place"
    assert "Gizmo" in reply(keywords, AsksFor("pet", 0.6))
    assert "Gizmo" not in reply(keywords, AsksFor("pet", 0.55))


def test_what_may_be_no_question_is_noted_where_nothing_answers_it() -> None:
    told = (AsksFor("diet", 0.6),)
    unsure = FRAMES["en"].unsure
    assert reply("no meat since I was 15 or so", *told) == unsure
    assert says_unknown(unsure)
    assert reply("no meat since when?", *told) == FRAMES["en"].unknown
    withheld = Heard("no meat since I was 15 or so", is_first=False, is_kept=False)
    assert answer(withheld, MemoryBlock(asks_for=told)) == FRAMES["en"].unknown


def test_what_asks_for_no_fact_gets_none_whatever_its_wording() -> None:
    question = "Where do I work best, at home or in a café?"
    assert "Acme" in reply(question, knows=False)
    assert "Acme" not in reply(question)


def test_patterns_say_more_where_they_agree() -> None:
    sister = "What's my sister's name?"
    assert "Luca" not in reply(sister, AsksFor("sibling", 0.5))
    film = "which film do I like best?"
    assert "Stalker" in reply(film, AsksFor("favorite", 0.9))
    assert "teal" not in reply(film, AsksFor("favorite", 0.9))


def test_several_facts_of_a_kind_are_narrowed_by_words() -> None:
    told = reply("the colour I would paint everything in?", AsksFor("favorite", 0.8))
    assert "teal" in told
    assert "Stalker" not in told
    both = reply("what would I choose over all others?", AsksFor("favorite", 0.8))
    assert "teal" in both
    assert "Stalker" in both


def test_two_kinds_are_both_told() -> None:
    told = reply("company and company of four paws?", AsksFor("pet", 0.8), AsksFor("employer", 0.8))
    assert "Gizmo" in told
    assert "Acme" in told


@pytest.mark.parametrize("question", ["Where did I work before?", "Wo habe ich früher gearbeitet?"])
def test_what_was_before_is_no_active_fact(question: str) -> None:
    assert "Acme" not in reply(question, AsksFor("employer", 0.9))


def test_a_thing_or_taste_answers_only_where_it_is_near_the_question() -> None:
    things = (
        FactLine("possession", "Fiat", closeness=0.05),
        FactLine("possession", "grand piano", closeness=0.36),
        FactLine("possession", "kayak", closeness=0.26),
    )
    heard = Heard("What instrument do I play?", is_first=False)
    memory = MemoryBlock(things, asks_for=(AsksFor("possession", 0.9),))
    assert answer(heard, memory) == "You have grand piano and kayak."
    far = replace(memory, facts=(things[0], replace(things[1], closeness=0.1)))
    assert says_unknown(answer(heard, far))
    # Where nobody compared them, any may be meant.
    untold = tuple(replace(each, closeness=0.0) for each in things)
    assert "Fiat" in answer(heard, replace(memory, facts=untold))


def test_whatever_else_is_asked_for_needs_no_closeness() -> None:
    pet = FactLine("pet", "Gizmo, a ferret", closeness=0.01)
    memory = MemoryBlock((pet,), asks_for=(AsksFor("pet", 0.9),))
    assert "Gizmo" in answer(Heard(PLAYFUL, is_first=False), memory)


def test_what_orders_a_list_needs_nothing_that_is_learnt() -> None:
    assert reply("list my siblings") == "Your sibling is a brother, Luca."


@pytest.mark.parametrize(
    ("question", "is_age"),
    [
        ("how many messages did I write today?", False),
        ("Wie viele Nachrichten habe ich geschrieben?", False),
        ("how many years old am I?", True),
        ("¿Cuántos años tengo?", True),
        ("Сколько мне лет?", True),
    ],
)
def test_what_counts_things_asks_for_no_age(question: str, is_age: bool) -> None:
    memory = MemoryBlock((FactLine("age", "34"),), asks_for=(AsksFor("age", 0.8),))
    assert ("34" in answer(Heard(question, is_first=False), memory)) is is_age
