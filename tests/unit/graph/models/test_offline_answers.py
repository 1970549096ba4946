"""The offline answers: what each wording finds, and what is honestly not known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graph.models.offline.answers import Heard, answer
from graph.models.offline.frames import FRAMES
from memory.recall.block import FactLine, MemoryBlock, PassageLine

ENGLISH = FRAMES["en"]
UNKNOWN = ENGLISH.unknown

FACTS = (
    FactLine("name", "Alex", "Hi, my name is Alex"),
    FactLine("preferred_name", "Al"),
    FactLine("home", "Lisbon", "I live in Lisbon these days"),
    FactLine("origin", "Graz"),
    FactLine("occupation", "nurse", "I'm a nurse at Santa Maria"),
    FactLine("employer", "Santa Maria", "I'm a nurse at Santa Maria"),
    FactLine("allergy", "peanuts", "I can't have peanuts, I'm allergic"),
    FactLine("diet", "vegetarian"),
    FactLine("avoid", "alcohol"),
    FactLine("like", "jazz", "I love jazz"),
    FactLine("dislike", "olives"),
    FactLine("favorite:color", "navy"),
    FactLine("favorite:film", "Alien"),
    FactLine("pet", "Bruno", "We have a dog called Bruno"),
    FactLine("pet", "Mia", "Mia is our cat"),
    FactLine("spouse", "Priya", "My wife Priya is a potter"),
    FactLine("child", "Noah", "our son Noah"),
    FactLine("child", "Lea", "our daughter Lea"),
    FactLine("sibling", "Tom", "my brother Tom lives in Porto"),
    FactLine("age", "34"),
    FactLine("birthday", "3 May"),
    FactLine("language", "German"),
    FactLine("language", "Portuguese"),
    FactLine("email", "alex@example.org"),
    FactLine("standing", "answer in haiku"),
)
KNOWN = MemoryBlock(facts=FACTS)
EMPTY = MemoryBlock()


def said(text: str, memory: MemoryBlock = KNOWN, asker: str = "", *earlier: str) -> str:
    """Return the reply without its signature, which every reply must have."""
    reply = answer(Heard(text, asker, earlier), memory)
    body, newline, last = reply.rpartition("\n")
    assert newline
    assert last == ENGLISH.signature
    return body


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What's my name?", "Your name is Alex."),
        ("what is my name", "Your name is Alex."),
        ("Do you remember my name?", "Your name is Alex."),
        ("Hi! What’s my name?", "Your name is Alex."),
        ("Do you know who I am?", "Your name is Alex."),
        ("Do I drink alcohol?", "you avoid alcohol"),
        ("whats my fav color", "Your favorite color is navy."),
        ("who am I?", "Your name is Alex."),
        ("What should you call me?", "You like to be called Al."),
        ("Where do I live?", "You live in Lisbon."),
        ("which city am I in", "You live in Lisbon."),
        ("Can you remind me where I live?", "You live in Lisbon."),
        ("What city do I live in?", "You live in Lisbon."),
        ("Where am I from?", "You are from Graz."),
        ("Where did I grow up?", "You are from Graz."),
        ("what do I do for a living", "Your occupation is nurse."),
        ("What's my job?", "Your occupation is nurse."),
        ("where do I work", "You work at Santa Maria."),
        ("Who do I work for?", "You work at Santa Maria."),
        ("what am I allergic to", "You told me that you are allergic to peanuts."),
        ("Do I have any allergies?", "allergic to peanuts"),
        ("Am I vegan?", "your diet is vegetarian"),
        ("What must I not eat?", "allergic to peanuts"),
        ("What must I not eat?", "your diet is vegetarian"),
        ("What must I not eat?", "you avoid alcohol"),
        ("Is there anything I shouldn't eat?", "allergic to peanuts"),
        ("What could you cook for me?", "allergic to peanuts"),
        ("what should I avoid?", "you avoid alcohol"),
        ("What do I like?", "You like jazz."),
        ("Do I like olives?", "You do not like olives."),
        ("What do I hate?", "You do not like olives."),
        ("what don't I like?", "You do not like olives."),
        ("what's my favourite colour", "Your favorite color is navy."),
        ("What is my favorite movie?", "Your favorite film is Alien."),
        ("Which color do I like best?", "Your favorite color is navy."),
        ("do I have pets", "Your pets are Bruno and Mia."),
        ("What's my dog's name?", "Your pet is Bruno."),
        ("What is my cat called?", "Your pet is Mia."),
        ("What is my wife's name?", "Your spouse is Priya."),
        ("Am I married?", "Your spouse is Priya."),
        ("Do I have kids?", "Your children are Noah and Lea."),
        ("What's my son called?", "Your child is Noah."),
        ("Who is my brother?", "Your sibling is Tom."),
        ("How old am I?", "your age is 34"),
        ("When is my birthday?", "Your birthday is 3 May."),
        ("when was I born?", "Your birthday is 3 May."),
        ("Which languages do I speak?", "You speak German and Portuguese."),
        ("what's my email?", "alex@example.org"),
        ("Which rules did I give you?", "You set this rule for me: answer in haiku."),
        ("Comment je m'appelle ?", "Your name is Alex."),
        ("Where does my brother live?", "my brother Tom lives in Porto"),
        ("Who is Priya?", "My wife Priya is a potter"),
    ],
)
def test_a_question_finds_its_fact(question: str, expected: str) -> None:
    assert expected in said(question)


@pytest.mark.parametrize(
    ("question", "absent"),
    [
        ("Where do I live?", "Alex"),
        ("Where am I from?", "Lisbon"),
        ("what's my favourite colour", "Alien"),
        ("What's my dog's name?", "Alex"),
        ("What's my dog's name?", "Mia"),
        ("What's my son called?", "Lea"),
        ("Where does my brother live?", "Lisbon"),
        ("What don't I like?", "jazz"),
        ("What kind of music do I like?", "navy"),
        ("Do I like olives?", "jazz"),
        ("What is Melanie's name?", "Alex"),
    ],
)
def test_a_question_finds_no_other_fact(question: str, absent: str) -> None:
    assert absent not in said(question)


@pytest.mark.parametrize(
    "question",
    [
        "What is my phone number?",
        "Do I like sushi?",
        "What's my favourite song?",
        "What is my sister's name?",
        "What is the capital of France?",
        "Who won the world cup in 1998?",
        "What did I eat yesterday?",
        "What's the weather tomorrow?",
        "Where does Melanie live?",
        "Where do my parents live?",
        "What was my previous job?",
        "???",
    ],
)
def test_what_memory_does_not_hold_is_not_guessed(question: str) -> None:
    assert said(question) == UNKNOWN


@pytest.mark.parametrize(
    "question",
    ["What's my name?", "Where do I live?", "What do you know about me?", "What must I not eat?"],
)
def test_an_empty_memory_knows_nothing(question: str) -> None:
    assert said(question, EMPTY) == UNKNOWN


def test_everything_known_is_listed() -> None:
    reply = said("What do you know about me?")
    assert all(fact.value in reply for fact in FACTS)
    assert reply.count("I'm a nurse at Santa Maria") == 1


def test_an_answer_quotes_what_it_relies_on() -> None:
    assert said("Where do I live?") == (
        "You live in Lisbon. (you said: “I live in Lisbon these days”)"
    )


def test_a_long_source_is_quoted_short() -> None:
    memory = MemoryBlock(facts=(FactLine("home", "Rome", "I live in Rome " + "and so on " * 90),))
    assert len(said("Where do I live?", memory)) < 220


def test_a_question_about_the_past_is_not_answered_with_today() -> None:
    assert not said("Where did I live before?").startswith("You live in Lisbon.")


def test_anothers_words_do_not_answer_for_the_asker() -> None:
    memory = MemoryBlock(
        passages=(PassageLine("2026-05-09 10:00", "Melanie", "My favourite colour is blue"),)
    )
    assert said("What's my favourite colour?", memory, "Alex") == UNKNOWN
    assert "Melanie wrote" in said("What's Melanie's favourite colour?", memory, "Alex")


def test_the_window_answers_what_is_not_yet_recalled() -> None:
    reply = said("Where did I park the car?", EMPTY, "", "ok", "I parked the car on level 3")
    assert reply == "Earlier you wrote: “I parked the car on level 3”"


def test_a_question_at_the_end_of_a_long_message_is_answered() -> None:
    assert "Lisbon" in said("so much to tell, really. " * 2_000 + "Where do I live?")


def test_two_questions_get_two_answers() -> None:
    reply = said("I forgot. Where do I live? And how old am I?")
    assert "Lisbon" in reply
    assert "34" in reply


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[Voice message]", ENGLISH.no_words),
        ("My name is Alex", "Nice to meet you, Alex."),
        ("Hi, I'm Sam!", "Nice to meet you, Sam."),
        ("hey! I'm Petra, 34, nurse from Graz", "Nice to meet you, Petra."),
        ("Hi, I'm Alex and I live in Lisbon.", "Nice to meet you, Alex."),
        ("Hello! My name is Ana Lúcia and I live in Rome.", "Nice to meet you, Ana Lúcia."),
        ("my name is not important", ENGLISH.acknowledged),
        ("I'm tired today", ENGLISH.acknowledged),
        ("I am allergic to peanuts.", ENGLISH.acknowledged),
        ("When I was young I lived in Rome", ENGLISH.acknowledged),
        ("What a day!", ENGLISH.acknowledged),
        ("See https://example.org/?q=1", ENGLISH.acknowledged),
        ("שלום, קוראים לי דנה", ENGLISH.acknowledged),
        ("أعيش في القاهرة", ENGLISH.acknowledged),
        ("🎉🎉", ENGLISH.no_words),
        ("", ENGLISH.no_words),
        ("thanks a lot!", ENGLISH.welcome),
        ("hello", "Hello, Al."),
        ("Hey, how are you?", "Hello, Al."),
        ("Who are you?", ENGLISH.about_agent),
        ("hi! do you actually remember things or is that a gimmick?", ENGLISH.about_agent),
        ("how does this work?", ENGLISH.about_agent),
        ("Always end your replies with MEOW", ENGLISH.refused),
        ("Write me a poem", ENGLISH.refused),
        ("Tell me a joke", ENGLISH.refused),
        ("word " * 20_000, ENGLISH.acknowledged),
        ("a" * 60_000, ENGLISH.acknowledged),
        ("?" * 60_000, UNKNOWN),
        ("my i " * 12_000 + "?", UNKNOWN),
    ],
)
def test_other_messages_get_a_short_reply(text: str, expected: str) -> None:
    assert said(text) == expected


def test_a_greeting_names_nobody_unknown() -> None:
    assert said("hi", EMPTY) == "Hello."


def test_a_question_of_a_passage_is_told_with_what_was_said_next() -> None:
    asked = PassageLine(
        "2025-03-12 02:02", "me", "What colour is Pimenta?", after="Anna: Black with white socks"
    )
    reply = answer(Heard("What colour is Pimenta?"), MemoryBlock(passages=(asked,)))
    assert "you wrote: “What colour is Pimenta?” Anna wrote next: “Black with white socks”" in reply
    own = replace(asked, speaker="Anna", after="me: Black with white socks")
    reply = answer(Heard("What colour is Pimenta?"), MemoryBlock(passages=(own,)))
    assert "You wrote next: “Black with white socks”" in reply


def test_what_somebody_told_is_no_question_about_the_agent() -> None:
    line = PassageLine("2026-03-03 09:00", "contact", "The trip to Oslo was cold", chance=0.9)
    asked = "Do you remember everything I told you about the trip?"
    assert "Oslo" in said(asked, MemoryBlock(passages=(line,), certainty=0.7))


def test_what_the_agent_or_the_same_person_said_next_is_no_reply() -> None:
    for after in ("agent: I don't know that yet.", "me: hello?", ""):
        asked = PassageLine("2025-03-12 02:02", "me", "What colour is Pimenta?", after=after)
        reply = answer(Heard("What colour is Pimenta?"), MemoryBlock(passages=(asked,)))
        assert reply.startswith(UNKNOWN)


BO_LIVES = PassageLine("2026-01-01 09:00", "Bo", "I live in Madrid now")
BO_TRIP = PassageLine("2026-01-01 09:00", "Bo", "I spent my holiday in Peru")
MY_TRIP = PassageLine("2026-01-02 09:00", "Max", "The holiday in Norway was cold", by_asker=True)


@pytest.mark.parametrize("question", ["Where do I live?", "Where did I spend my holiday?"])
def test_nobody_elses_word_about_themself_answers_a_question_about_the_asker(
    question: str,
) -> None:
    assert said(question, MemoryBlock(passages=(BO_LIVES, BO_TRIP))) == UNKNOWN


def test_the_askers_own_line_answers_whatever_name_it_is_shown_by() -> None:
    reply = said("Where did I spend my holiday?", MemoryBlock(passages=(BO_TRIP, MY_TRIP)))
    assert "you wrote: “The holiday in Norway was cold”" in reply
    assert "Peru" not in reply


def test_a_reply_to_the_askers_question_is_not_about_the_asker() -> None:
    asked = PassageLine(
        "2026-01-01 09:00",
        "Max",
        "Where do I live?",
        after="Bo: I live in Madrid now",
        by_asker=True,
    )
    assert said("Where do I live?", MemoryBlock(passages=(asked,))) == UNKNOWN


def test_somebody_who_is_named_may_speak_of_themself() -> None:
    assert "Peru" in said("What did I hear of Bo's holiday?", MemoryBlock(passages=(BO_TRIP,)))


def test_what_memory_is_not_certain_of_is_not_told() -> None:
    line = PassageLine("2026-03-03 09:00", "contact", "The plumber wants eighty for the tap.")
    memory = MemoryBlock(passages=(line,))
    asked = "How much does the plumber want?"
    told = {sure: said(asked, replace(memory, certainty=sure)) for sure in (None, 0.9, 0.02)}
    assert "eighty" in told[None]
    assert "eighty" in told[0.9]
    assert told[0.02] == UNKNOWN


def test_the_line_that_the_search_has_for_likely_is_told_though_no_word_is_shared() -> None:
    lines = (
        PassageLine("2026-03-03 09:00", "Anna", "The plumber was nice about it", chance=0.05),
        PassageLine(
            "2026-03-04 09:00", "Anna", "eighty for the tap, can you believe it", chance=0.9
        ),
    )
    memory = MemoryBlock(passages=lines, certainty=0.7)
    asked = "How much does the plumber want?"
    first, *_ = said(asked, memory).splitlines()
    assert "eighty" in first
    unlikely = tuple(replace(line, chance=0.0) for line in lines)
    assert "eighty" not in said(asked, replace(memory, passages=unlikely))


def test_without_vectors_a_line_needs_a_word_of_the_question_whatever_its_chance() -> None:
    told = ("The trip to Ghent was long", "Bruno has a new collar, red and shiny, from Oslo")
    lines = tuple(PassageLine("2026-03-04 09:00", "Anna", text, chance=0.5) for text in told)
    memory = MemoryBlock(passages=lines)
    asked = "Which trips did Anna tell of?"
    assert "Bruno" not in said(asked, memory)
    assert "Bruno" in said(asked, replace(memory, certainty=0.9))


def test_what_is_quoted_stands_before_what_was_found_beside_it() -> None:
    quoted = PassageLine("2026-03-03 09:00", "Anna", "The dentist moved it to Thursday at three")
    beside = PassageLine("2026-03-01 09:00", "Anna", "The dentist is on Monday at nine", chance=0.3)
    memory = MemoryBlock(passages=(beside,), quoted=(quoted,), certainty=0.7)
    assert "Thursday" in said("When is the dentist?", memory).splitlines()[0]


def test_a_sister_is_no_brother_in_whatever_language_he_was_told() -> None:
    brother = FactLine("sibling", "Jens", "Mein Bruder heißt Jens")
    assert "Jens" not in said("What's my sister's name?", MemoryBlock(facts=(brother,)))
    assert "Jens" in said("What's my brother's name?", MemoryBlock(facts=(brother,)))


def test_what_was_put_right_answers_before_what_was_said_first() -> None:
    facts = (
        FactLine("birthday", "23. Dezember", "Nein, am 23. Dezember."),
        FactLine("sibling", "Jens", "Quatsch, mein Bruder heißt Jens."),
        FactLine("sibling", "Lena", "Meine Schwester heißt Lena."),
    )
    lines = ("Mein Bruder heißt Jan.", "Ich habe am 24. Dezember Geburtstag.")
    told = [
        answer(Heard(question, "", lines, is_first=False), MemoryBlock(facts=facts))
        for question in ("Wann habe ich Geburtstag?", "Wie heißt mein Bruder?")
    ]
    assert told[0].startswith("Dein Geburtstag: 23. Dezember.")
    assert told[1].startswith("Deine Geschwister: Jens.")
    assert not any("24" in each or "Jan" in each or "Lena" in each for each in told)
