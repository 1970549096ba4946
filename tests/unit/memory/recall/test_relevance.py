"""A person with hundreds of facts: what harms first, then who they are, then what is asked."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from graph.models.offline.cues import asked_for
from memory.domain.facts import Fact
from memory.facts.predicates import MAY_HARM, predicate
from memory.recall.relevance import (
    ASKED_FOR,
    CORE_OF_A_KEY,
    DENSE,
    MIN_IMPORTANCE,
    WORDS,
    fits,
    in_order,
    naming,
)
from tests.messages import START

LOW = ("like", "dislike", "favorite:color", "preference:seat", "friend", "possession")


def fact(key: str, value: str, hours: int = 0) -> Fact:
    known = predicate(key)
    assert known is not None
    return Fact(
        fact_id=f"{key}/{value}",
        tenant="t",
        contact_id="c",
        category=known.category,
        key=key,
        value=value,
        confidence=0.95,
        importance=known.importance,
        source_uid="m",
        anchor="contact:c",
        status="active",
        valid_from=START + timedelta(hours=hours),
        valid_to=None,
        recorded_from=START,
        recorded_to=None,
    )


def ordered(facts: list[Fact], question: str, dense: dict[str, float] | None = None) -> list[str]:
    named = naming(question)
    parts = [{WORDS: named(each), DENSE: (dense or {}).get(each.value, 0.0)} for each in facts]
    return [facts[number].value for number in in_order(facts, parts).order]


@pytest.mark.parametrize("key", LOW)
def test_tastes_and_things_lie_below_what_is_always_shown(key: str) -> None:
    known = predicate(key)
    assert known is not None
    assert known.importance < MIN_IMPORTANCE


def test_what_may_harm_comes_first_however_old_and_many() -> None:
    harm = [fact(key, f"{key} {n}") for key in sorted(MAY_HARM) for n in range(20)]
    facts = [fact("name", "Alex", 900), *(fact("like", f"thing {n}", n) for n in range(300)), *harm]
    shown = in_order(facts, [{}] * len(facts))
    assert shown.always == len(harm)
    assert {facts[n].value for n in shown.order[: shown.always]} == {each.value for each in harm}
    assert facts[shown.order[0]].key == "allergy"


def test_who_they_are_comes_before_what_fits_and_that_before_the_rest() -> None:
    facts = [
        fact("employer", "Acme", 9),
        fact("like", "sailing in winter", 1),
        fact("like", "jazz", 8),
        fact("home", "Lisbon"),
        fact("name", "Alex"),
    ]
    asked = ordered(facts, "Do I like sailing?")
    assert asked == ["Alex", "Lisbon", "sailing in winter", "jazz", "Acme"]


def test_what_is_close_to_the_question_comes_before_what_is_new() -> None:
    facts = [fact("employer", "Acme", 9), fact("school", "St Mary's", 1)]
    assert ordered(facts, "who taught me?", {"St Mary's": 0.6}) == ["St Mary's", "Acme"]
    assert ordered(facts, "what time is it?") == ["Acme", "St Mary's"]


def test_what_is_asked_for_is_told_from_what_is_shown_anyway() -> None:
    facts = [fact("home", "Lisbon"), fact("like", "jazz"), fact("school", "St Mary's")]
    named = naming("What do I like?")
    parts = [{WORDS: named(facts[0])}, {WORDS: named(facts[1])}, {DENSE: 0.5}]
    assert {facts[n].value for n in in_order(facts, parts).asked} == {"jazz", "St Mary's"}
    assert not in_order(facts, [{}] * 3).asked


def test_one_key_does_not_fill_the_core() -> None:
    facts = [fact("pet", f"Rex {n}", n) for n in range(60)]
    shown = in_order(facts, [{}] * 60)
    assert shown.core == shown.wanted == CORE_OF_A_KEY
    assert [facts[n].value for n in shown.order[:2]] == ["Rex 59", "Rex 58"]


@pytest.mark.parametrize(
    ("question", "keys"),
    [
        ("What do I like?", "like"),
        ("what do i like", "like"),
        ("What don't I like?", "dislike"),
        ("Tell me what I hate.", "dislike"),
        ("What is my favourite colour?", "favorite:color"),
        ("What car do I have?", "possession"),
        ("Who are my friends?", "friend"),
        ("Was mag ich?", "like"),
        ("¿Qué me gusta?", "like"),
        ("Что я люблю?", "like"),
        ("Can you recommend a film for tonight?", "like dislike"),
        ("What do you know about me?", "like dislike friend possession favorite:color"),
        ("Hi! Tell me about myself.", "like friend possession"),
        (" ", "like friend possession"),
    ],
)
def test_a_question_names_the_facts_that_it_asks_for(question: str, keys: str) -> None:
    named = naming(question)
    for key in keys.split():
        assert named(fact(key, "zeppelins")) >= ASKED_FOR, key


@pytest.mark.parametrize(
    "said", ["I love this song!", "I have to go now.", "What is the weather like?", "hello"]
)
def test_what_asks_for_no_fact_names_none(said: str) -> None:
    named = naming(said)
    assert not any(fits({WORDS: named(fact(key, "zeppelins"))}) for key in LOW)


def test_a_value_is_named_by_its_words_in_any_message() -> None:
    named = naming("We went hiking on Sunday")
    assert named(fact("like", "hikes")) > ASKED_FOR
    assert named(fact("like", "hike")) > named(fact("like", "long hikes by the sea")) > 0
    assert named(fact("like", "jazz")) == 0


@pytest.mark.parametrize(
    "question",
    [
        "what do I like?",
        "which music do I like best?",
        "do I like tea?",
        "what are my hobbies?",
        "what do I hate?",
        "what are my preferences?",
        "do I have a bike?",
        "which car do I have?",
        "who is my friend?",
        "what is my favorite food?",
    ],
)
def test_what_the_offline_responder_looks_for_is_there(question: str) -> None:
    keys = [key.rstrip(":") for key in asked_for(question).keys]
    low = [key for key in keys if key.partition(":")[0] in LOW or key.startswith("favorite")]
    assert low
    named = naming(question)
    for key in low:
        told = fact(key if key != "favorite" else "favorite:food", "tea")
        assert fits({WORDS: named(told)}), key


def test_of_equals_the_newest_is_first() -> None:
    facts = [replace(fact("like", str(n)), valid_from=START + timedelta(hours=n)) for n in range(4)]
    assert ordered(facts, "what do I like?") == ["3", "2", "1", "0"]
