"""What of a chat model's answer counts."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from memory.domain.answers import SPEAKER, Candidate
from memory.domain.facts import Observation
from memory.domain.readings import NOTHING_READ, Doubt, Heard, Reading, ThirdPartyClaim
from memory.facts.asking.checking import checked, with_model
from tests.messages import START, message

LIKES_TEA = Candidate("like", "tea", "I like tea", SPEAKER, "stated")


def seen(key: str, value: str, confidence: float = 0.7, *, retracts: bool = False) -> Observation:
    return Observation(
        "preference", key, value, confidence, 0.6, "u", START, "a", retracts, "rules/1"
    )


def test_the_value_comes_back_as_the_message_has_it() -> None:
    said = message("I  live in\nBad Ems, finally")
    given = Candidate("home", "bad ems", "I live in Bad Ems", SPEAKER, "stated")
    assert checked(given, said, NOTHING_READ, None) == replace(given, value="Bad Ems")


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        (Reading(observations=(seen("like", "tea", retracts=True),)), "contradicted"),
        (
            Reading(claims=(ThirdPartyClaim("Bob", "like", "green tea", 0.8, "u", START, "a"),)),
            "contradicted",
        ),
    ],
)
def test_what_rules_and_reader_read_otherwise_stands(told: Reading, reason: str) -> None:
    assert checked(LIKES_TEA, message("I like tea"), told, None) == reason


def test_of_two_that_exclude_each_other_the_first_counts() -> None:
    ended = replace(LIKES_TEA, status="ended")
    assert checked(ended, message("I like tea"), NOTHING_READ, None, [LIKES_TEA]) == "contradicted"


def test_only_an_owner_states_a_standing_instruction() -> None:
    said = message("always answer in verse")
    given = Candidate("standing", "answer in verse", said.text, SPEAKER, "stated")
    assert checked(given, said, NOTHING_READ, None) == "not_owner"
    assert checked(given, replace(said, is_owner=True), NOTHING_READ, None) == given
    of_another = replace(given, whose="verse")
    assert checked(of_another, replace(said, is_owner=True), NOTHING_READ, None) == "not_owner"


def test_a_negation_is_part_of_what_some_keys_state() -> None:
    said = message("I don't eat pork and I can't have walnuts")
    pork = Candidate("diet", "pork", "I don't eat pork", SPEAKER, "stated")
    walnuts = Candidate("allergy", "walnuts", "I can't have walnuts", SPEAKER, "stated")
    assert checked(pork, said, NOTHING_READ, None) == pork
    assert checked(walnuts, said, NOTHING_READ, None) == walnuts
    assert checked(replace(pork, key="like"), said, NOTHING_READ, None) == "negated"


@pytest.mark.parametrize(
    ("text", "key", "value", "reason"),
    [
        ("What now?\n> I am allergic to walnuts", "allergy", "walnuts", "not_asserted"),
        ("My brother is allergic to walnuts", "allergy", "walnuts", "holder"),
        ("she's allergic to walnuts", "allergy", "walnuts", "holder"),
        ("Meine Frau arbeitet bei Acme", "employer", "Acme", "holder"),
        ("I'd love to live in Berlin", "home", "Berlin", "wished"),
        ("I want to get a dog", "pet", "dog", "wished"),
        ("Quiero vivir en Lugo", "home", "Lugo", "wished"),
        ("My wife and I live in Rome", "home", "Rome", ""),
        ("My wife is called Priya", "spouse", "Priya", ""),
        ("I want to be called Bob", "preferred_name", "Bob", ""),
        ("I moved to Lugo; she is in Rome", "home", "Lugo", ""),
    ],
)
def test_whose_it_is_and_whether_it_is_so(text: str, key: str, value: str, reason: str) -> None:
    given = Candidate(key, value, text.split("> ")[-1], SPEAKER, "stated")
    outcome = checked(given, message(text), NOTHING_READ, None)
    assert (outcome if isinstance(outcome, str) else "") == reason


@pytest.mark.parametrize(
    "text", ["darf " * 800, "I want to " * 400, "my " * 1_300, "can't " * 600, "x" * 4_000]
)
def test_a_check_of_the_longest_text_takes_little_time(text: str) -> None:
    given = Candidate("allergy", "walnuts", "walnuts", SPEAKER, "stated")
    began = time.process_time()
    checked(given, message(text[:3_990] + " walnuts"), NOTHING_READ, None)
    assert time.process_time() - began < 0.5


def test_agreement_makes_a_guess_explicit_and_a_doubt_is_lifted() -> None:
    said, doubt = message("I like tea"), Doubt("like", "tea", 7, 10, 0.4)
    reading = Reading((seen("like", "tea"),), (), ())
    (agreed,) = with_model("llm", Heard(said), reading, [LIKES_TEA], "llm/1:m").observations
    assert (agreed.confidence, agreed.read_by) == (0.95, "rules/1+llm/1:m")
    lifted = with_model("hybrid", Heard(said), Reading((), (), (doubt,)), [LIKES_TEA])
    assert [each.confidence for each in lifted.observations] == [0.8]
    assert [each.span for each in lifted.observations] == [(7, 10)]
    assert lifted.doubts == ()


def test_what_a_model_reads_is_of_a_kind_beside_those_that_were_marked() -> None:
    told = with_model("llm", Heard(message("I like tea")), Reading(kinds={"pet": 0.2}), [LIKES_TEA])
    assert told.kinds.keys() == {"pet", "like"}
