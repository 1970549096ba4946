"""What the rules read, and above all what they leave alone."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.facts.reading.rules import extract


def read(text: str) -> set[str]:
    """Return `key=value` of what is stated and `-key=value` of what is retracted."""
    found = extract(
        text, source_uid="m", stated_at=datetime(2026, 1, 1, tzinfo=UTC), anchor="contact:a"
    )
    return {f"{'-' if each.retracts else ''}{each.key}={each.value}" for each in found}


def stated(text: str) -> set[str]:
    return {each for each in read(text) if not each.startswith("-")}


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "My name is Alex, I live in Lisbon and I'm allergic to peanuts.",
            {"name=Alex", "home=Lisbon", "allergy=peanuts"},
        ),
        ("im a nurse at st georges", {"occupation=nurse", "employer=st georges"}),
        ("i live in leeds", {"home=leeds"}),
        (
            "I'm allergic to peanuts, shellfish and kiwi",
            {"allergy=peanuts", "allergy=shellfish", "allergy=kiwi"},
        ),
        ("i love pizza, thanks", {"like=pizza"}),
        ("I work at Siemens as an engineer", {"employer=Siemens"}),
        ("My favourite color is dark green", {"favorite:color=dark green"}),
        ("my wife is called Odile", {"spouse=Odile"}),
        ("my mom called the priest", set()),
        ("My partner is Brazilian", set()),
        ("please call me a cab", set()),
        ("I've worked at it for twenty years", set()),
        ("been working for twelve years", set()),
        ("We have a dog named Bruno", {"pet=Bruno"}),
        ("I hate coriander", {"dislike=coriander"}),
        ("call me Al", {"preferred_name=Al"}),
        ("I'm originally from Porto", {"origin=Porto"}),
        ("I live in Leeds, do you deliver?", {"home=Leeds"}),
        ("i speak english and german", {"language=english", "language=german"}),
        ("ich heiße Jannik und wohne in Köln", {"name=Jannik", "home=Köln"}),
        ("Wir sind letzte Woche nach Basel umgezogen", {"home=Basel"}),
        ("ich bin gerade nach Bad Homburg gezogen", {"home=Bad Homburg"}),
        ("wir sind jetzt vor drei Wochen nach Wien gezogen", {"home=Wien"}),
        ("wir sind nach Hause gezogen", set()),
        ("ich bin nicht nach Bonn gezogen", set()),
        ("ich bin froh dass Anna nach Bonn gezogen ist", set()),
        ("wir sind fast nach Bonn gezogen", set()),
        ("ich bin nach Berlin gefahren", set()),
        ("me llamo Lucía y soy alérgica a las nueces", {"name=Lucía", "allergy=nueces"}),
        ("moro em Recife", {"home=Recife"}),
        ("me he mudado a Cádiz", {"home=Cádiz"}),
        ("Nos hemos mudado a Málaga", {"home=Málaga"}),
        ("Me acabo de mudar a Bilbao.", {"home=Bilbao"}),
        ("ya nos mudamos a Lima", {"home=Lima"}),
        ("mudei-me para Braga", {"home=Braga"}),
        ("me mudei para o Porto", {"home=Porto"}),
        ("Nos mudamos para Recife", {"home=Recife"}),
        ("mudámo-nos para Faro", {"home=Faro"}),
        ("je m'appelle Chloé et j'habite à Lyon", {"name=Chloé", "home=Lyon"}),
        ("меня зовут Олег", {"name=Олег"}),
    ],
)
def test_statements_become_short_values(text: str, facts: set[str]) -> None:
    assert stated(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I'm not allergic to nuts any more", {"-allergy=nuts"}),
        ("I'm not allergic to nuts and kiwi any longer.", {"-allergy=nuts", "-allergy=kiwi"}),
        ("I don't like jazz any more", {"-like=jazz", "dislike=jazz"}),
        ("I don't work at Acme any more, thanks", {"-employer=Acme"}),
        ("I'm not a nurse any more but I live in Leeds", {"-occupation=nurse", "home=Leeds"}),
        ("I don't like any more noise", set()),
        ("ich bin nicht mehr allergisch gegen Nüsse", {"-allergy=Nüsse"}),
        ("ich mag Jazz nicht mehr", {"-like=Jazz"}),
        ("ya no soy alérgica a las nueces", {"-allergy=nueces"}),
        ("ya no me gusta el jazz", {"-like=jazz"}),
        ("não sou mais alérgico a nozes", {"-allergy=nozes"}),
        ("já não gosto de jazz", {"-like=jazz"}),
        ("je ne suis plus allergique aux noix", {"-allergy=noix"}),
        ("je n'aime plus le jazz", {"-like=jazz"}),
        ("у меня больше нет аллергии на орехи", {"-allergy=орехи"}),
        ("я больше не люблю джаз", {"-like=джаз"}),
    ],
)
def test_what_is_over_is_taken_back_in_every_language(text: str, facts: set[str]) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Careful: I'm allergic to nuts", {"allergy=nuts"}),
        ("Please note: I'm allergic to nuts", {"allergy=nuts"}),
        ("Reminder: I'm vegan", {"diet=vegan"}),
        ("FYI: I live in Leeds", {"home=Leeds"}),
        ("Achtung: ich bin allergisch gegen Nüsse", {"allergy=Nüsse"}),
        ("Cuidado: soy alérgica a las nueces", {"allergy=nueces"}),
        ("Atenção: sou vegana", {"diet=vegana"}),
        ("Attention: je suis allergique aux noix", {"allergy=noix"}),
        ("Осторожно: у меня аллергия на орехи", {"allergy=орехи"}),
        ("Anna: I'm allergic to nuts", set()),
        ("Lyrics: I love the night", set()),
    ],
)
def test_a_word_of_notice_is_no_other_speaker(text: str, facts: set[str]) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("ich mag übrigens Jazz", {"like=Jazz"}),
        ("ich mag übrigens sehr Jazz", {"like=Jazz"}),
        ("ich mag übrigens keinen Jazz", {"dislike=Jazz"}),
        ("ich bin übrigens allergisch gegen Nüsse", {"allergy=Nüsse"}),
        ("I hate, by the way, mushrooms", {"-like=mushrooms", "dislike=mushrooms"}),
        ("I live in Leeds, by the way I'm vegan", {"home=Leeds", "diet=vegan"}),
        ("me gusta mucho por cierto el jazz", {"like=jazz"}),
        ("gosto aliás de jazz", {"like=jazz"}),
        ("j'aime d'ailleurs le jazz", {"like=jazz"}),
        ("я кстати люблю джаз", {"like=джаз"}),
    ],
)
def test_what_is_said_in_passing_is_no_value(text: str, facts: set[str]) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I love climbing and hate mushrooms", {"like=climbing", "dislike=mushrooms"}),
        ("I hate mushrooms but love climbing", {"like=climbing", "dislike=mushrooms"}),
        ("I like tea, love jazz and hate rain", {"like=tea", "like=jazz", "dislike=rain"}),
        ("I'm allergic to nuts and hate rain", {"allergy=nuts", "dislike=rain"}),
        ("I love tea and don't eat meat", {"like=tea", "avoid=meat"}),
        ("I love rock and roll", {"like=rock", "like=roll"}),
        ("I have a cat and like 20 fish", {"pet=cat"}),
        ("I'm trying new things, like yoga", set()),
        ("I have friends who love tea and hate coffee", set()),
        ("I think they like tea and hate coffee", set()),
        ("ich mag die Berge und hasse Regen", {"like=Berge", "dislike=Regen"}),
        ("me gusta el té y odio el café", {"like=té", "dislike=café"}),
        ("não gosto de chá e adoro café", {"dislike=chá", "like=café"}),
        ("j'aime le thé et déteste le café", {"like=thé", "dislike=café"}),
        ("люблю чай и ненавижу кофе", {"like=чай", "dislike=кофе"}),
    ],
)
def test_verbs_that_share_a_subject_are_read_one_by_one(text: str, facts: set[str]) -> None:
    assert stated(text) == facts


@pytest.mark.parametrize(
    ("text", "pets"),
    [
        ("I have a dog, Bruno, and two cats, Mia and Leo", "Bruno Mia Leo"),
        ("i have a dog named bruno and a cat named mia", "bruno mia"),
        ("I have two dogs, Rex and Max", "Rex Max"),
        ("I have a cat, a dog and a parrot", "cat dog parrot"),
        ("I have a dog, our neighbours have a rabbit and two cats", "dog"),
        ("tengo un perro, Bruno, y dos gatos, Mia y Leo", "Bruno Mia Leo"),
        ("tenho um cachorro, Bruno, e uma gata chamada Mia", "Bruno Mia"),
        ("j'ai un chien, Bruno, et deux chats, Mia et Leo", "Bruno Mia Leo"),
    ],
)
def test_every_pet_of_a_list_is_kept(text: str, pets: str) -> None:
    assert stated(text) == {f"pet={name}" for name in pets.split()}


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("no soy vegetariana", {"-diet=vegetariana"}),
        ("no vivo en Madrid", set()),
        ("me mudé de ropa", set()),
        ("mudei de ideia", set()),
        ("me he mudado a un piso nuevo", set()),
        ("me mudei para estar perto", set()),
        ("no me he mudado a Cádiz", set()),
        ("mi hermana se ha mudado a Cádiz", set()),
        ("No, soy vegetariana", {"diet=vegetariana"}),
        ("no i live in Oslo", {"home=Oslo"}),
    ],
)
def test_a_leading_no_is_an_answer_in_english_and_a_denial_in_spanish(
    text: str, facts: set[str]
) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I'm not vegetarian any more", {"-diet=vegetarian"}),
        ("I left Acme", {"-employer=Acme"}),
        ("I moved from Leeds to Bristol", {"-home=Leeds", "home=Bristol"}),
        ("I don't like olives", {"-like=olives", "dislike=olives"}),
        ("I'm not allergic to nuts", {"-allergy=nuts"}),
        ("I used to live in Ghent", {"-home=Ghent"}),
        ("we broke up last week", {"-partner=*", "-spouse=*"}),
        ("sold the panda yesterday", {"-possession=panda"}),
    ],
)
def test_retractions_and_negations(text: str, facts: set[str]) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    "text",
    [
        "my friend is allergic to nuts",
        "do you like pizza?",
        "am i allergic to nuts?",
        "if I lived in Rome I would be happy",
        "if i get the job, i live in Zurich",
        "I wish I was vegan",
        "I'd love to live in Berlin",
        'she said "I live in Rome"',
        "he told me, I live in Rome",
        "Tom: I live in Rome",
        "> I live in Rome",
        "I'm allergic to mondays",
        "just kidding, I'm allergic to work",
        "i just LOVE standing in the rain 🙄",
        "I love it",
        "I love you",
        "I like your idea",
        "I'm a bit tired",
        "I'm fine",
        "im 5 minutes away",
        "im 20 minutes late",
        "i live in a flat",
        "i live in hope",
        "i work from home",
        "I'm a mess today",
        "pretend I'm vegan",
        "I have a headache",
        "call me back later",
        "call me tomorrow",
        "I'm at the airport in Madrid",
        "my name is",
        "I moved to Friday",
        "started at 9",
        "I joined the call late",
        "",
    ],
)
def test_what_is_no_statement_yields_nothing(text: str) -> None:
    assert stated(text) == set()


def test_a_hedge_costs_confidence() -> None:
    [fact] = extract(
        "i think i'm allergic to kiwi",
        source_uid="m",
        stated_at=datetime(2026, 1, 1, tzinfo=UTC),
        anchor="a",
    )
    assert (fact.value, fact.key) == ("kiwi", "allergy")
    assert 0.4 <= fact.confidence < 0.9


@given(st.text(max_size=300))
def test_any_text_is_read_without_failing(text: str) -> None:
    assert read(text) == read(text)
    assert read(f"I like {text}") is not None


@pytest.mark.parametrize("text", ["a " * 2000, "my " * 1300, "i love a, " * 400, "so hey " * 600])
def test_long_texts_stay_cheap(text: str) -> None:
    started = time.process_time()
    read(text)
    assert time.process_time() - started < 0.5
