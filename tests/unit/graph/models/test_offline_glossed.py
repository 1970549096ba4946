"""What is known is told to whoever asks for it in another language, and of nobody else's."""

from __future__ import annotations

import pytest

from graph.models.offline.answers import Heard, answer_with_sources
from graph.models.offline.glossed import asked_anyhow, asks_unmarked
from memory.recall.block import FactLine, MemoryBlock

KNOWN = MemoryBlock(
    tuple(
        FactLine(key, value)
        for key, value in {
            "home": "Valencia",
            "employer": "Ribera",
            "occupation": "designer",
            "partner": "Dani",
            "pet": "Lola (dog)",
            "sibling": "Julia (sister)",
            "parent": "Vera (mother)",
            "friend": "Marta",
            "birthday": "3 May",
            "like": "climbing",
            "dislike": "cilantro",
            "language": "German",
            "possession": "Peugeot (bike)",
            "favorite:color": "green",
            "email": "k@example.org",
            "medical": "asthma",
            "origin": "Leipzig",
            "school": "TU Berlin",
        }.items()
    )
)


def said(text: str) -> str:
    heard = Heard(text, "", (), (), is_first=False, is_kept=True)
    return answer_with_sources(heard, KNOWN).text


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("what's my mum's name", "Vera"),
        ("do you know who my best friend is", "Marta"),
        ("my sister's name", "Julia"),
        ("any idea what my dog is called", "Lola"),
        ("who am i dating?", "Dani"),
        ("which uni did i go to", "TU Berlin"),
        ("What can't I stand?", "cilantro"),
        ("fav color", "green"),
        ("Wie heißt mein Hund?", "Lola"),
        ("Weißt du noch, wie meine Schwester heißt?", "Julia"),
        ("wie heißt meine beste Freundin", "Marta"),
        ("Was mache ich beruflich?", "designer"),
        ("bei welcher firma arbeite ich", "Ribera"),
        ("Was mag ich gar nicht?", "cilantro"),
        ("Welche Farbe mag ich am liebsten?", "green"),
        ("was fahre ich für ein rad", "Peugeot"),
        ("¿Te acuerdas de cómo se llama mi perra?", "Lola"),
        ("¿Con quién salgo?", "Dani"),
        ("en qué ciudad vivo", "Valencia"),
        ("¿Dónde nací?", "Leipzig"),
        ("¿Qué enfermedad tengo?", "asthma"),
        ("Como se chama a minha mãe?", "Vera"),
        ("quando é meu aniversário", "3 May"),
        ("Qual é o meu e-mail?", "k@example.org"),
        ("Em que faculdade estudei?", "TU Berlin"),
        ("Как зовут мою собаку?", "Lola"),
        ("как зовут мою подругу", "Marta"),
        ("Кем я работаю?", "designer"),
        ("на каких языках я говорю", "German"),
        ("Какое у меня хобби?", "climbing"),
    ],
)
def test_a_fact_is_told_in_the_language_it_is_asked_for_in(question: str, value: str) -> None:
    assert value in said(question)


@pytest.mark.parametrize(
    "question",
    [
        "Was hat meine Schwester gekauft?",
        "Wo arbeitet mein Bruder?",
        "¿Cuándo me llamó mi madre?",
        "¿Qué come mi perra?",
        "O que a minha irmã estuda?",
        "Где живёт моя мама?",
        "Wann hat Emil Geburtstag?",
        "Was ist Jonathan von Beruf?",
        "Wo kommen Jonathans Bienen hin?",
        "Quando é o aniversário do Rafael?",
        "Há quantos anos eu trabalhava na Movimenta?",
        "¿Cuándo cumple años la yaya?",
    ],
)
def test_what_is_asked_of_others_is_no_fact_of_the_asker(question: str) -> None:
    assert asked_anyhow(question).keys == ()


@pytest.mark.parametrize(
    "statement",
    [
        "My name is",
        "My dog is ill",
        "Was für ein Tag.",
        "Wie gesagt, ich wohne in Bern",
        "Cuando llegué a casa, mi perra dormía",
        "Que bom te ver",
        "Как хорошо, что ты есть",
        "Quando cheguei, já era tarde",
    ],
)
def test_what_only_opens_like_a_question_is_none(statement: str) -> None:
    assert not asks_unmarked(statement)
