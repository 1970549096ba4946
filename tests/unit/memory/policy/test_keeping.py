"""What rules keep out: whole words, kinds of fact, credentials, in any of five languages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory.domain.chats import Actor, Quote
from memory.facts.predicates import PREDICATES
from memory.policy.credentials import holds_credentials
from memory.policy.keeping import (
    CREDENTIALS,
    TOPICS,
    BadRule,
    Rule,
    checked_what,
    kept_out_by,
    rule_against,
)
from tests.messages import message


@pytest.mark.parametrize(
    "text",
    [
        "my password is hunter2",
        "password for the router is Xk-99!x",
        "PIN 4711",
        "my pin is 47 11",
        "use sk-abcdefghijklmnop1234 as key",
        "card 4111 1111 1111 1111, thanks",
        "Mein Passwort ist g3heim",
        "Kennwort: geheim",
        "Die Geheimzahl ist 9921",
        "mi contraseña es p4ssw0rd",
        "la clave de acceso: gatito",
        "minha senha é abc123",
        "a palavra-passe: gatinho",
        "мой пароль qwerty12",
        "пароль: лошадь",
        "пин-код 4711",
        "-----BEGIN OPENSSH PRIVATE KEY-----",
    ],
)
def test_credentials_are_seen_in_five_languages(text: str) -> None:
    assert holds_credentials(text)


@pytest.mark.parametrize(
    "text",
    [
        "I forgot my password",
        "the wifi password is bluebell-42",
        "Das WLAN-Passwort lautet heron-77",
        "La contraseña del wifi es bluebell-42",
        "Пароль от вайфая - heron-77",
        "my password is too long, they say",
        "Is the password expired?",
        "Mein Passwort ist abgelaufen",
        "olvidé mi contraseña",
        "minha senha é segura",
        "я забыл пароль",
        "I pin 3 notes on the wall each day",
        "call me at +49 151 2345 6789",
        "order 4111 1111 1111 1112",
        "I was born on 12.11.1984 and have 2 dogs",
        "the key is under the mat",
    ],
)
def test_what_gives_nothing_away_is_no_credential(text: str) -> None:
    assert not holds_credentials(text)


@pytest.mark.parametrize(
    ("words", "text", "is_said"),
    [
        ("cancer", "My CANCER is back", True),
        ("cancer", "the cancerous one", False),
        ("red coat", "my Red\n coat", True),
        ("scheidung", "Die Scheidung läuft", True),
        ("straße", "in der STRASSE", True),
        ("divórcio", "o DIVÓRCIO dela", True),
        ("развод", "Развод — это больно", True),
        ("развод", "разводы на стекле", False),
        ("niñez", "mi nin\u0303ez", True),
        ("離婚", "私は離婚した", True),
        ("a.b", "axb", False),
    ],
)
def test_words_are_whole_and_of_any_case(words: str, text: str, is_said: bool) -> None:
    rule = Rule(1, "words", checked_what("words", words, ()))
    assert rule.is_said_in(text) is is_said


def test_a_rule_is_for_everybody_or_for_one_and_of_what_contacts_say() -> None:
    mine = Rule(1, "words", "coat", "waha:ana")
    said = message("My coat is red.")
    assert kept_out_by(said, [CREDENTIALS, mine]) is mine
    assert kept_out_by(replace(said, contact_id="waha:ben"), [mine]) is None
    assert kept_out_by(replace(said, actor=Actor.OWNER), [mine]) is None
    assert kept_out_by(replace(said, text="Yes.", quote=Quote("1", "the coat")), [mine]) is mine
    health = Rule(2, "facts", "health")
    assert kept_out_by(message("I have diabetes."), [health]) is None
    assert rule_against([health], "web:x", "medical", "diabetes") is health
    assert rule_against([health], "web:x", "home", "Leeds") is None
    assert rule_against([mine], "waha:ana", "possession", "a coat") is mine


def test_kinds_are_those_of_the_vocabulary_and_favourites_of_any_noun() -> None:
    assert {key for keys in TOPICS.values() for key in keys} <= {
        *PREDICATES,
        "favorite",
        "preference",
    }
    assert checked_what("facts", " Marital status ", list(PREDICATES)) == "marital_status"
    assert Rule(1, "facts", "favorite").covers("favorite:color")
    for kind, what in (
        ("facts", "shoes"),
        ("words", " ... "),
        ("words", "a"),
        ("words", "7"),
        ("words", "x" * 81),
    ):
        with pytest.raises(BadRule):
            checked_what(kind, what, list(PREDICATES))  # type: ignore[arg-type]
