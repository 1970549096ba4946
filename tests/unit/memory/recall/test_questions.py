"""What only asks, and who speaks of themself, in the languages of the vocabulary."""

from __future__ import annotations

from time import perf_counter

import pytest

from memory.recall.questions import asks_or_requests, is_first_person, only_asks


@pytest.mark.parametrize(
    "text",
    [
        "What is Anna's job?",
        "where does Anna work",
        "Hey Anna, what did you do?",
        "Hi! How are you? What's new?",
        "And why?",
        "Is she a nurse?",
        "Anna's job?",
        "Wo arbeitet Anna?",
        "Arbeitet Anna noch dort?",
        "¿Dónde trabaja Anna?",
        "Où travaille Anna ?",
        "Onde trabalha a Anna?",
        "Dove lavora Anna?",
        "Где работает Анна?",
    ],
)
def test_a_text_of_questions_only_asks(text: str) -> None:
    assert only_asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "Anna works as a nurse.",
        "I moved to Berlin last week, what about you?",
        "When I was young I lived in Porto.",
        "What I like is jazz",
        "Anna is a nurse. What does Bo do?",
        "Wo ich wohne, ist es still.",
        "Ich wohne jetzt in Wien, und du?",
        "Me mudé a Madrid en mayo, ¿y tú?",
        "Я живу в Москве, а ты?",
        "",
        "👍",
        "Who is it? " * 200,
    ],
)
def test_a_text_that_tells_something_does_not(text: str) -> None:
    assert not only_asks(text)


@pytest.mark.parametrize(
    ("text", "is_own"),
    [
        ("Where do I live?", True),
        ("What's my job?", True),
        ("I'm in Madrid now", True),
        ("Wo wohne ich?", True),
        ("Wie heißt mein Hund?", True),
        ("¿Dónde vivo?", True),
        ("Où est-ce que j'habite ?", True),
        ("Onde moro eu?", True),
        ("Где я живу?", True),
        ("Where does Anna live?", False),
        ("Tell me about Anna's job", False),
        ("Anna lives in Madrid", False),
        ("We live in Madrid", False),
    ],
)
def test_a_text_speaks_of_its_writer(text: str, is_own: bool) -> None:
    assert is_first_person(text) is is_own


@pytest.mark.parametrize("piece", ["what ", "?", ",", ". ", "who is ", "j'", "a,b? "])
def test_a_text_of_the_largest_size_takes_no_time(piece: str) -> None:
    text = piece * (65_536 // len(piece))
    began = perf_counter()
    only_asks(text)
    only_asks(text[:400])
    is_first_person(text)
    assert perf_counter() - began < 0.2


@pytest.mark.parametrize(
    "text",
    [
        "I'm hungry. What should I cook?",
        "recommend me a film",
        "Plan a weekend for us",
        "where did I put the coat",
        "Sag mir noch mal die Adresse",
        "Recomiéndame una película",
        "Me lembra do nome dele",
        "Напомни, пожалуйста, адрес",
        "long " * 100,
    ],
)
def test_what_wants_something_of_its_reader_is_told(text: str) -> None:
    assert asks_or_requests(text)


@pytest.mark.parametrize(
    "text",
    [
        "My tyre is flat again.",
        "Bin wieder zu Hause!",
        "Estoy cansado.",
        "Хорошо, спасибо",
        "ok",
        "",
    ],
)
def test_what_only_tells_wants_nothing(text: str) -> None:
    assert not asks_or_requests(text)


def test_a_name_that_is_a_word_for_my_elsewhere_is_a_name() -> None:
    assert not is_first_person("How old is Mia?")
    assert is_first_person("Does Mia like my cake?")
    assert is_first_person("Mia madre dove abita?")
    assert is_first_person("dove abita mia madre?")
