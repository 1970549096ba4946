"""What says the same is told from what only sounds alike; of the same the newest line stays."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.domain.chats import Actor, StoredMessage
from memory.recall.repeats import Said, is_repeat, said_once
from tests.messages import message


def said(
    text: str,
    minutes: float = 0,
    *,
    by: str = "ana",
    before: str = "",
    actor: Actor = Actor.CONTACT,
) -> Said:
    spoken = message(text, sender=by, minutes=minutes, actor=actor)
    return Said.of(StoredMessage(spoken, 0, int(minutes), spoken.sent_at + timedelta()), before)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We meet at Bo's at seven.", "we meet at Bos at seven 🎉🎉"),
        ("The boiler man comes on Wednesday", "the boiler man comes on Wendesday!!"),
        ("I left the keys with Priya", "PS: I left the keys with Priya."),
        ("Der Zug geht um neun von Gleis 4", "nochmal: der Zug geht um neun von Gleis 4"),
        ("Мы переехали в Казань весной", "Повторяю, мы переехали в Казань весной."),
        ("El vuelo sale el martes temprano", "Corrección: el vuelo sale el martes temprano"),
    ],
)
def test_the_same_words_sent_once_more_are_a_repeat(one: str, other: str) -> None:
    assert is_repeat(said(one), said(other, 5))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The flat is number 12 on Mill Lane", "The flat is number 14 on Mill Lane"),
        ("Weighed in at 82.1 this morning", "Weighed in at 81.4 this morning"),
        ("I am allergic to walnuts", "I am not allergic to walnuts"),
        ("We saw Maria at the market today", "We saw Mario at the market today"),
        ("Das ist jetzt meine neue Adresse", "Das ist jetzt keine neue Adresse"),
        ("You are coming on Friday then", "You are coming on Friday then?"),
        ("Mum arrives on Friday with the dog", "Mum arrives on Sunday with the dog"),
        ("the dog bit the postman yesterday", "the postman bit the dog yesterday"),
        ("the move is done and paid for", "the move is done and paid for by Dad"),
        ("Tom has lost his job", "Tom has lost his job again"),
    ],
)
def test_what_says_something_else_is_none(one: str, other: str) -> None:
    assert not is_repeat(said(one), said(other, 5))


def test_what_two_people_say_of_themselves_is_not_the_same() -> None:
    text = "I live in Leeds with my brother and his two dogs"
    assert not is_repeat(said(text), said(text, by="bo"))
    assert is_repeat(said(text), said(text))


def test_a_long_line_passed_on_is_a_repeat_but_not_by_the_agent() -> None:
    text = "The parade starts at ten by the town hall and ends at the harbour"
    assert is_repeat(said(text), said(text, by="bo"))
    assert not is_repeat(said(text), said(text, actor=Actor.AGENT))
    assert not is_repeat(said("They live in Leeds now"), said("They live in Leeds now", by="bo"))


def test_a_few_words_are_the_same_only_behind_the_same_line() -> None:
    assert not is_repeat(said("Yes!", before="Got the flat?"), said("yes", before="Coming?"))
    assert is_repeat(said("Yes!", before="Got the flat?"), said("yes", before="got the flat?"))
    assert not is_repeat(said("👍", before="ok?"), said("👎", before="ok?"))


def test_of_the_same_the_newest_stays_where_the_best_one_stood() -> None:
    old, other, new = (
        said("Kit has a new hamster", 1),
        said("Rex is a dog", 2),
        said("Kit has a new hamster!", 9),
    )
    once = said_once([old, other, new])
    assert once.kept == (new.stored, other.stored)
    assert once.instead == {old.stored.uid: new.stored.uid}


@given(
    st.lists(
        st.tuples(st.sampled_from(["a b c d", "A b, c d!", "e f g h", "", "?"]), st.integers(0, 9))
    )
)
def test_every_line_is_kept_or_stands_for_one_that_is(given_: list[tuple[str, int]]) -> None:
    lines = [said(text, minutes) for text, minutes in given_]
    once = said_once(lines)
    kept = {each.uid for each in once.kept}
    assert kept.isdisjoint(once.instead)
    assert kept | once.instead.keys() == {line.stored.uid for line in lines}
    assert set(once.instead.values()) <= kept
    assert said_once([line for line in lines if line.stored.uid in kept]).instead == {}
