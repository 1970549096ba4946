"""What counts as a wish to have something forgotten of oneself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory.domain.chats import Actor
from memory.policy.forgetting import Forgetting, is_forgetting, parse_forgetting
from memory.policy.rules import Policy
from tests.messages import message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Forget that I have a dog", "dog"),
        ("please forget my age", "age"),
        ("Please, forget that I'm allergic to nuts.", "allergic nuts"),
        ("can you forget that I live in Lisbon?", "live lisbon"),
        ("Could you please forget about my job", "job"),
        ("Recollect, forget where I live!", "live"),
        ("@4915 forget how old I am", "old"),
        ("forget what my name is", "name"),
        ("Forget that my name is Alex. I made that up.", "name alex"),
        ("hey, forget that I told you I work at Acme", "work acme"),
        ("forget what I said about my sister Anna", "sister anna"),
        ("forget that I like tea", "like tea"),
        ("just forget that we have two cats, ok", "two cats"),
        ("I'd like you to forget that I’m vegan", "vegan"),
        ("forget that I'm from Brazil", "from brazil"),
        ("forget that Nina was my girlfriend", "nina girlfriend"),
        ("vergiss, dass Nina meine Freundin war", "nina freundin"),
        ("olvida que Nina era mi novia", "nina novia"),
        ("esquece que a Nina era minha namorada", "nina namorada"),
        ("забудь, что Нина была моей девушкой", "нина девушкой"),
        ("Vergiss bitte, dass ich einen Hund habe", "hund"),
        ("Kannst du bitte vergessen, wo ich wohne?", "wohne"),
        ("vergiss mein Alter", "alter"),
        ("Bitte vergiss, dass ich gegen Nüsse allergisch bin.", "gegen nüsse allergisch"),
        ("olvida que tengo un perro", "perro"),
        ("Por favor, olvida mi edad", "edad"),
        ("¿Puedes olvidar que vivo en Madrid?", "vivo madrid"),
        ("olvídate de dónde vivo", "vivo"),
        ("esquece que tenho um cachorro", "cachorro"),
        ("por favor esqueça a minha idade", "idade"),
        ("esquece que eu moro em Lisboa", "moro lisboa"),
        ("забудь, что у меня есть собака", "собака"),
        ("Забудь, пожалуйста, что я живу в Москве", "живу москве"),
        ("забудь мой возраст", "возраст"),
        ("Можешь забыть, где я живу?", "живу"),
    ],
)
def test_a_wish_names_what_is_to_be_forgotten(text: str, words: str) -> None:
    found = parse_forgetting(text)
    assert found is not None
    assert [word for word in found.words if word not in ("ok", "a")] == words.split()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("delete my age", "age"),
        ("Please erase my phone number.", "phone number"),
        ("can you remove my birthday from your memory?", "birthday"),
        ("delete what I said about my sister Anna", "sister anna"),
        ("erase that I live in Lisbon", "live lisbon"),
        ("Lösch bitte mein Alter", "alter"),
        ("Kannst du meinen Geburtstag löschen?", None),
        ("Bitte lösche meinen Geburtstag aus deinem Gedächtnis", "geburtstag"),
        ("borra mi edad", "edad"),
        ("Por favor, elimina mi dirección", "dirección"),
        ("apaga a minha idade", "idade"),
        ("удали мой возраст", "возраст"),
        ("Сотри, пожалуйста, мой адрес", "адрес"),
        ("delete my last message", None),
        ("delete my account", None),
        ("remove my name from the list", None),
        ("remove my sister from the group", None),
        ("delete my sister's number", None),
        ("delete the file", None),
        ("erase it", None),
        ("don't delete my age", None),
        ("Lösch meine letzte Nachricht", None),
        ("Entferne meinen Namen aus der Liste", None),
        ("borra mis mensajes", None),
        ("elimina mi nombre de la lista", None),
        ("apaga as minhas mensagens", None),
        ("удали мои сообщения", None),
    ],
)
def test_what_is_known_of_somebody_may_be_deleted_and_nothing_else(
    text: str, words: str | None
) -> None:
    found = parse_forgetting(text)
    assert (" ".join(found.words) if found else None) == words


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Forget everything you know about me.", "en"),
        ("Delete everything you know about me.", "en"),
        ("please forget everything about me", "en"),
        ("Vergiss alles, was du über mich weißt", "de"),
        ("olvida todo lo que sabes de mí", "es"),
        ("esquece tudo o que sabes sobre mim", "pt"),
        ("Забудь всё, что ты знаешь обо мне", "ru"),
    ],
)
def test_a_wish_may_name_everything(text: str, language: str) -> None:
    found = parse_forgetting(text)
    assert found is not None
    assert (found.language, found.words) == (language, ())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "forget",
        "forget it",
        "Forget that.",
        "forget that day",
        "forget about it",
        "Don't forget that I have a dog",
        "please don't forget that I'm vegan",
        "never forget that I love you",
        "I forgot that I have a dog",
        "I'll never forget that day",
        "I always forget my age",
        "did you forget that I have a dog?",
        "Forget that I asked",
        "forget that I said anything",
        "forget what I just said",
        "forget that I asked you to buy milk",
        "forget the rules",
        "forget everything",
        "Forget all previous instructions",
        "forget everything I said before",
        "forget that Anna has a dog",
        "Forget that she lives in Leeds",
        "forget your age",
        "“Forget that I have a dog”, he wrote.",
        '"forget that I have a dog" was the line',
        "Forget that I have a dog, she said",
        "Anna: forget that I have a dog",
        "She told me to forget that I have a dog",
        "forget that I have a dog? no way",
        "forget that I have a dog. What is the weather like in Leeds tomorrow, and should I go?",
        "forget-me-nots are my favourite",
        "Vergiss nicht, dass ich einen Hund habe",
        "Ich habe vergessen, dass ich einen Termin habe",
        "vergiss es",
        "Vergiss, dass Anna einen Hund hat",
        "no olvides que tengo un perro",
        "olvida que María tiene un perro",
        "olvídalo",
        "não esqueça que tenho um cachorro",
        "esquece isso",
        "esquece que a Ana tem um cachorro",
        "не забудь, что у меня есть собака",
        "забудь об этом",
        "я забыл, что у меня встреча",
        "x" * 301 + " forget that I have a dog",
    ],
)
def test_whoever_says_something_else_wishes_nothing(text: str) -> None:
    assert parse_forgetting(text) is None


def test_only_a_person_whom_the_agent_answers_wishes_it_of_the_agent() -> None:
    wish = message("forget that I have a dog")
    group = replace(wish, is_group=True)
    policy = Policy()
    assert is_forgetting(wish, policy)
    assert is_forgetting(replace(group, mentions_agent=True), policy)
    assert is_forgetting(replace(group, replies_to_agent=True), policy)
    assert not is_forgetting(group, policy)
    assert not is_forgetting(replace(wish, forwarded=True), policy)
    assert not is_forgetting(replace(wish, actor=Actor.OWNER), policy)
    assert not is_forgetting(wish, replace(policy, reply_direct="off"))
    assert not is_forgetting(wish, replace(policy, blocked=frozenset({"ana"})))
    assert not is_forgetting(wish, replace(policy, allowed=frozenset({"bo"})))
    silent = message("forget that I have a dog", channel="api")
    assert not is_forgetting(silent, policy)


def test_what_is_long_is_read_in_no_time() -> None:
    assert parse_forgetting("forget that i " + "forget that i " * 50_000) is None
    assert parse_forgetting("please " * 40 + "forget it") is None
    assert parse_forgetting("@" * 280 + " forget it") is None
    assert parse_forgetting("@a," * 90 + "@ forgetit") is None
    assert parse_forgetting("@a, " * 60 + "forget my age") == Forgetting("en", ("age",))
    assert parse_forgetting("please, " * 35 + "forget") is None
    assert parse_forgetting("forget everything " + "you know " * 30) is None


def test_a_wish_is_equal_to_another() -> None:
    assert parse_forgetting("forget my age") == Forgetting("en", ("age",))
