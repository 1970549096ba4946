"""The reply's language is that of the question, whatever the memory's."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.models.offline.answers import Heard, answer
from graph.models.offline.fact_sentences import OTHERS, SENTENCES
from graph.models.offline.frames import FRAMES
from graph.models.offline.languages import SPOKEN
from graph.models.offline.phrases import list_facts
from graph.models.offline.speech import is_greeting
from memory.recall.block import FactLine, MemoryBlock, More, PassageLine, block_text, read_block

KNOWN = MemoryBlock(
    facts=(
        FactLine("name", "Alex"),
        FactLine("home", "Lisbon", "I live in Lisbon"),
        FactLine("pet", "Bruno"),
        FactLine("pet", "Mia"),
    )
)
GATE = MemoryBlock(
    passages=(
        PassageLine("2026-05-08 13:56", "Anna", "Gate 7, Madrid, gestern war es noch Gate 9"),
        PassageLine("2026-05-03 09:00", "me", "Madrid Gate 7", by_asker=True),
    )
)


@pytest.mark.parametrize(
    ("text", "reply", "language"),
    [
        ("Wie heiße ich?", "Du heißt Alex.", "de"),
        ("Wo wohne ich?", "Du wohnst hier: Lisbon. (du hast gesagt: „I live in Lisbon“)", "de"),
        ("¿Cómo me llamo?", "Te llamas Alex.", "es"),
        ("¿Dónde vivo?", "Vives en Lisbon. (dijiste: «I live in Lisbon»)", "es"),
        ("Onde eu moro?", "Você mora em Lisbon. (você disse: “I live in Lisbon”)", "pt"),
        ("Как меня зовут?", "Тебя зовут Alex.", "ru"),
        ("Ich heiße Jürgen", "Freut mich, Jürgen.", "de"),
        ("hola", "Hola, Alex.", "es"),
        ("obrigada", "De nada.", "pt"),
        ("спасибо", "Пожалуйста.", "ru"),
        ("Wann hat Ulla geheiratet?", "Das weiß ich noch nicht.", "de"),
        ("¿Quién ganó el mundial?", "Eso todavía no lo sé.", "es"),
    ],
)
def test_a_reply_and_its_signature_are_in_the_messages_language(
    text: str, reply: str, language: str
) -> None:
    assert answer(Heard(text), KNOWN) == f"{reply}\n{FRAMES[language].signature}"


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "Wann war es Gate 7 in Madrid?",
            "Am 8. Mai 2026 schrieb Anna: „Gate 7, Madrid, gestern war es noch Gate 9“"
            " (das heißt: 7. Mai 2026)",
        ),
        ("¿Cuándo era Gate 7 en Madrid?", "El 8 de mayo de 2026 Anna escribió: «Gate 7, Madrid"),
        ("Quando era Gate 7 em Madrid?", "Em 8 de maio de 2026 Anna escreveu: “Gate 7, Madrid"),
        ("Когда был Gate 7 Madrid?", "Сообщение от 8 мая 2026 г., Anna: «Gate 7, Madrid"),
        ("¿Cuándo era Gate 7 en Madrid?", "El 3 de mayo de 2026 escribiste: «Madrid Gate 7»"),
        ("Когда был Gate 7 Madrid?", "Твоё сообщение от 3 мая 2026 г.: «Madrid Gate 7»"),
    ],
)
def test_a_quote_is_told_in_the_questions_language(question: str, told: str) -> None:
    assert any(line.startswith(told) for line in answer(Heard(question), GATE).splitlines())


def test_several_facts_are_joined_in_the_language() -> None:
    assert list_facts(KNOWN.facts, "de").splitlines()[0] == "Das hast du mir erzählt:"
    assert "Deine Haustiere: Bruno und Mia." in list_facts(KNOWN.facts, "de")
    assert "Tus mascotas: Bruno y Mia." in list_facts(KNOWN.facts, "es")


def test_a_list_that_was_cut_does_not_claim_to_be_whole() -> None:
    more = (More("pet", 12),)
    assert "Deine Haustiere: Bruno, Mia und 12 weitere." in list_facts(KNOWN.facts, "de", more)
    cut = replace(KNOWN, more=more)
    (all_of_them,) = answer(Heard("What pets do I have?"), cut).splitlines()[:1]
    assert "Bruno, Mia and 12 more" in all_of_them
    assert read_block(block_text(cut)) == cut
    assert "12 more" not in answer(Heard("Do I have a dog called Bruno?"), cut)


def test_every_language_has_its_phrases() -> None:
    assert set(FRAMES) == set(SENTENCES) == set(OTHERS) == set(SPOKEN)
    for language in set(SPOKEN) - {"en"}:
        assert SENTENCES[language].keys() >= SENTENCES["en"].keys() - {"pronouns"}


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(SPOKEN))
def test_any_fact_can_be_told_in_any_language(key: str, value: str, language: str) -> None:
    assert list_facts([FactLine(key, value, value)], language)


@pytest.mark.parametrize(
    ("text", "language", "frame"),
    [
        ("Please delete my age", "en", "to_forget"),
        ("Vergiss das", "de", "to_forget"),
        ("Olvida eso", "es", "to_forget"),
        ("Esquece isso", "pt", "to_forget"),
        ("Забудь это", "ru", "to_forget"),
        ("Schreib mir ein Gedicht", "de", "refused"),
        ("Escribe un poema", "es", "refused"),
        ("Escreve um poema para mim", "pt", "refused"),
        ("Напиши стихотворение", "ru", "refused"),
        ("Wer bist du?", "de", "about_agent"),
        ("¿Quién eres?", "es", "about_agent"),
        ("Quem é você?", "pt", "about_agent"),
        ("Кто ты?", "ru", "about_agent"),
        ("Merkst du dir das alles? Kannst du dir Sachen merken?", "de", "about_agent"),
        ("¿Guardas lo que escribo?", "es", "about_agent"),
        ("Você lembra das coisas?", "pt", "about_agent"),
        ("Как это работает?", "ru", "about_agent"),
        ("Ja", "de", "acknowledged"),
        ("Adiós", "es", "acknowledged"),
        ("Tchau", "pt", "acknowledged"),
    ],
)
def test_what_is_no_question_of_memory_is_answered_in_its_language(
    text: str, language: str, frame: str
) -> None:
    reply = answer(Heard(text, is_first=False), MemoryBlock())
    assert reply == getattr(FRAMES[language], frame)
    assert frame != "to_forget" or "/forget " in reply


@pytest.mark.parametrize("text", ["Ok", "No", "Pizza!"])
def test_a_word_of_many_languages_is_answered_in_that_of_before(text: str) -> None:
    heard = Heard(text, "", ("Ich wohne in Leeds.", "I live there."), is_first=False)
    assert answer(heard, MemoryBlock()) == FRAMES["de"].acknowledged
    assert answer(Heard(text, is_first=False), MemoryBlock()) == FRAMES["en"].acknowledged


@pytest.mark.parametrize(
    "text",
    [
        "Was weißt du über mich?",
        "¿Qué sabes de mí?",
        "O que sabe sobre mim?",
        "Что ты знаешь обо мне?",
    ],
)
def test_everything_is_told_in_any_of_the_languages(text: str) -> None:
    told = answer(Heard(text, is_first=False), KNOWN)
    assert told.count("\n- ") == len({fact.key for fact in KNOWN.facts})


@pytest.mark.parametrize(
    "text",
    [
        *("Servus! Wie geht's dir?", "Hallo, wie geht es euch heute?", "Hola, ¿qué tal?"),
        *("Hola Ana, ¿cómo estás?", "Oi, tudo bem?", "Olá, como vai?", "Привет! Как дела?"),
    ],
)
def test_whoever_asks_how_one_is_is_greeted(text: str) -> None:
    assert is_greeting(text)


@pytest.mark.parametrize("text", ["¿Qué tal el trabajo?", "Wie geht es meinem Knie?"])
def test_how_something_else_is_is_a_question(text: str) -> None:
    assert not is_greeting(text)


HANNA = (
    FactLine(
        "Hanna Vogel: allergy",
        "peanuts",
        "I'm allergic to peanuts.",
        False,
        "Hanna Vogel",
        "2026-09-12",
    ),
    FactLine(
        "Hanna Vogel: home", "Leipzig", "We live in Leipzig.", False, "Hanna Vogel", "2026-09-13"
    ),
    FactLine("Hanna Vogel: spouse", "Tom", "", False, "Hanna Vogel", "2026-09-13"),
)


def test_what_somebody_else_told_is_told_in_their_words_with_the_day() -> None:
    memory = MemoryBlock(facts=(FactLine("home", "York", "I live in York."), *HANNA))
    assert answer(Heard("Where does Hanna live?", is_first=False), memory) == (
        "On 13 September 2026 Hanna Vogel wrote: “We live in Leipzig.”"
    )
    assert answer(Heard("Was weißt du über Hanna?", is_first=False), memory) == (
        "Das weiß ich von Hanna Vogel:\n- „I'm allergic to peanuts.“\n- „We live in Leipzig.“"
    )
    assert answer(Heard("Where do I live?", is_first=False), memory) == (
        "You live in York. (you said: “I live in York.”)"
    )


def test_who_writes_under_a_name_is_called_by_it_where_no_fact_tells_one() -> None:
    memory = MemoryBlock(writer="Ben Carter")
    assert (
        answer(Heard("What's my name?", is_first=False), memory) == "You write here as Ben Carter."
    )
    assert answer(Heard("Wie heiße ich?", is_first=False), memory) == (
        "Du schreibst hier als Ben Carter."
    )
    assert answer(Heard("hi", is_first=False), memory) == "Hello, Ben Carter."
    told = replace(memory, facts=(FactLine("name", "Benjamin"),))
    assert answer(Heard("What's my name?", is_first=False), told) == "Your name is Benjamin."
    assert answer(Heard("What's my name?", is_first=False), MemoryBlock()) == (FRAMES["en"].unknown)


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("What day is it today?", "It is 29 November 2026, 10:20."),
        ("what's the date?", "It is 29 November 2026, 10:20."),
        ("what time is it?", "It is 29 November 2026, 10:20."),
        ("Welcher Tag ist heute?", "Es ist der 29. November 2026, 10:20 Uhr."),
        ("¿Qué día es hoy?", "Es el 29 de noviembre de 2026, 10:20."),
        ("Que dia é hoje?", "É dia 29 de novembro de 2026, 10:20."),
        ("Какое сегодня число?", "Сегодня 29 ноября 2026 г., 10:20."),
        ("What time is it in Tokyo?", "I don't know that yet."),
        ("What day is the party?", "I don't know that yet."),
    ],
)
def test_the_day_is_told_by_the_clock_of_who_asks(question: str, reply: str) -> None:
    memory = MemoryBlock(now="Sunday 2026-11-29 10:20 (Europe/Berlin)")
    assert answer(Heard(question, is_first=False), memory) == reply


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("¡Hola! Soy Lucía, de Sevilla", "Mucho gusto, Lucía."),
        ("Oi! Sou a Ana e moro em Braga", "Muito prazer, Ana."),
        ("Привет! Я Оля, живу в Казани", "Приятно познакомиться, Оля."),
    ],
)
def test_who_says_their_name_is_greeted_in_their_language(text: str, reply: str) -> None:
    assert answer(Heard(text, is_first=False), MemoryBlock()) == reply
