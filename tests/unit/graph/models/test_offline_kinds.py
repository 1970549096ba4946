"""What kind of thing a question asks for, and which sentence tells one."""

from __future__ import annotations

import pytest

from graph.models.offline.kinds import kind_of, names_in
from graph.models.offline.words import sentences, statements


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("When did it arrive?", "It came last Friday"),
        ("Wann kam das Paket?", "Es kam am Montag"),
        ("How much was the piano?", "We paid 400 for it"),
        ("¿Cuánto costó el piano?", "Pagamos cuatro mil"),
        ("Who fixed the roof?", "that was Pieter in the end"),
        ("Где мы жили?", "тогда снимали комнату в Казани"),
    ],
)
def test_a_sentence_may_tell_what_is_asked_for(question: str, sentence: str) -> None:
    kind = kind_of(question)
    assert kind.told_by(sentence, frozenset())
    assert not kind.told_by("it was all rather sad", frozenset())


def test_a_name_of_the_question_is_no_answer() -> None:
    assert not kind_of("Who fixed Bo's roof?").told_by("poor Bo", frozenset({"bo"}))


@pytest.mark.parametrize(
    "question",
    [
        "Which places did she visit?",
        "What instruments does Kit play?",
        "How many cats have we had?",
        "In which order did I read them?",
        "Welche Städte haben wir gesehen?",
        "¿Qué libros leyó Quique?",
        "Quais remédios ela toma?",
        "Какие города мы видели?",
    ],
)
def test_a_question_may_ask_for_several(question: str) -> None:
    assert kind_of(question).wants_list


@pytest.mark.parametrize(
    "question",
    [
        "Which neighbour owns a drill?",
        "What is Reg's cat called?",
        "What does Marc teach?",
        "How many days was it gone?",
        "Where does Anna live?",
    ],
)
def test_a_question_for_one_thing_asks_for_no_list(question: str) -> None:
    assert not kind_of(question).wants_list


def test_names_are_words_with_a_large_letter_but_for_german() -> None:
    assert names_in("Where does Ada Novak live?") == ["Ada", "Novak"]
    assert names_in("What did Ada buy in February, before last December's fair?") == ["Ada"]
    assert names_in("Wo hat sie den Schirm gelassen?") == []


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "It was 7.30. We left at once!  Then home",
            ["It was 7.30.", "We left at once!", "Then home"],
        ),
        ("what?? no\n- a tent\n\n- a rope", ["what?? no", "- a tent", "- a rope"]),
        ("“Go.” She went.", ["“Go.”", "She went."]),
        ("  ", []),
    ],
)
def test_a_text_is_taken_apart_into_statements(text: str, parts: list[str]) -> None:
    assert statements(text) == parts


def test_sentences_do_not_end_at_abbreviations_or_within_dates() -> None:
    assert sentences("Where is St. Mary's? Am 20. April war ich da.") == [
        "Where is St. Mary's?",
        "Am 20. April war ich da.",
    ]
    assert statements("I saw Dr. Who. It rained.") == ["I saw Dr. Who.", "It rained."]
