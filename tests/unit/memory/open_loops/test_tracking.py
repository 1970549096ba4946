"""What is open in a chat, read with the weights and the embedder that ship."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from memory.minilm.recall import RecallEmbedder
from memory.open_loops import AGENT, Said, Tracker, advance, hear, load_model, still_open, texts_of
from memory.open_loops.model import DIMENSION
from memory.open_loops.tracking import MOST

ZONE = ZoneInfo("Europe/Berlin")
START = datetime(2026, 3, 3, 18, 0, tzinfo=ZONE)
Line = tuple[str, str] | tuple[str, str, float]


@cache
def embedder() -> RecallEmbedder:
    return RecallEmbedder()


def read(lines: Sequence[Line], *, vectors: bool = True) -> Tracker:
    """Read lines of speaker, text and, where it matters, hours after the start."""
    model = load_model(embedder().fingerprint if vectors else "")
    tracker = Tracker()
    for number, (speaker, text, *hours) in enumerate(lines):
        at = START + timedelta(hours=hours[0] if hours else 0, minutes=number)
        said = Said(f"m{number}", speaker, text, at)
        texts = texts_of(said)
        made = embedder().embed_array(texts) if vectors else np.zeros((len(texts), DIMENSION))
        tracker = advance(tracker, hear(said, list(made), tracker.before), model)
    return tracker


def listed(lines: Sequence[Line], *, vectors: bool = True) -> set[tuple[str, str]]:
    return {(loop.uid, loop.kind) for loop in read(lines, vectors=vectors).loops}


CHAT = ("Bo", "The match was a disgrace again"), ("Al", "the second goal above all")


@pytest.mark.parametrize("vectors", [True, False])
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I'll send you the photos tomorrow", "promise"),
        ("could you book the table by Friday please?", "request"),
        ("my dentist appointment is on Friday at 3", "date"),
        ("Kannst du bis Freitag den Tisch reservieren?", "request"),
        ("mañana te mando las fotos", "promise"),
        ("minha prova é dia 14", "date"),
        ("напомни мне в воскресенье позвонить маме", "request"),
    ],
)
def test_what_is_left_open_is_listed_by_its_kind(text: str, kind: str, vectors: bool) -> None:
    assert ("m0", kind) in listed([("Al", text), *CHAT], vectors=vectors)


@pytest.mark.parametrize(
    "text",
    [
        "I should really call my sister more often",
        "we must meet some time",
        "if it rains I'll stay at home",
        "Tom will paint his fence on Sunday",
        "yesterday I had the dentist",
        "how are you?",
        "Vielleicht geh ich morgen schwimmen",
        "ayer fui al médico",
    ],
)
def test_what_is_vague_over_or_others_is_not_listed(text: str) -> None:
    assert listed([("Al", text), *CHAT]) == set()


def test_what_is_said_to_be_done_is_open_no_longer() -> None:
    promised = [("Al", "I'll send you the signed lease tomorrow"), *CHAT]

    assert ("m0", "promise") in listed(promised)
    assert listed([*promised, ("Al", "The signed lease is sent, check your inbox", 20.0)]) == set()


def test_a_question_that_is_answered_is_open_no_longer() -> None:
    assert (
        listed([("Al", "what time does the pool open?"), (AGENT, "The pool opens at 7.")]) == set()
    )


def test_the_agents_reply_answers_what_it_was_asked_in_whatever_words() -> None:
    chat = [("me", "Hi there"), (AGENT, "Hello."), ("me", "how old is Tom?")]
    question = {("m2", "question")}
    assert listed(chat) == question
    assert listed([*chat, (AGENT, "You wrote: “Mia starts school and Tom is three”")]) == set()
    assert listed([*chat, ("Bo", "You wrote: “Mia starts school and Tom is three”")]) == question


def test_a_date_is_closed_by_a_message_after_its_day() -> None:
    fixed = [("Al", "my dentist appointment is on Friday at 3"), *CHAT]

    assert ("m0", "date") in listed(fixed)
    assert listed([*fixed, ("Bo", "nice weather today", 24.0 * 5)]) == set()


def test_the_same_thing_said_again_is_one_loop_of_the_first_message() -> None:
    text = "I'll send you the signed lease tomorrow"

    again = listed([("Al", text), ("Bo", "what a game"), ("Al", text)])
    assert {kind for place, kind in again if place == "m0"} == {"promise"}
    assert not [place for place, _ in again if place == "m2"]


def test_who_has_to_act_is_the_speaker_or_whoever_is_addressed() -> None:
    group = [("Al", "hello all"), ("Bo", "hi"), ("Cy", "Al, could you bring the projector please?")]

    assert {loop.by for loop in read(group).loops} == {"Al"}
    asked = [("Al", "hello"), (AGENT, "Hello!"), ("Al", "remind me on Sunday to call mum")]
    assert {loop.by for loop in read(asked).loops if loop.kind == "request"} == {AGENT}


def test_due_is_a_day_and_what_lapsed_is_not_shown() -> None:
    loops = read([("Al", "I'll send you the photos tomorrow"), *CHAT]).loops

    assert [loop.due for loop in loops if loop.kind == "promise"] == [date(2026, 3, 4)]
    assert still_open(loops, START + timedelta(days=20))
    assert still_open(loops, START + timedelta(days=60)) == []


def test_the_number_of_open_loops_is_bounded() -> None:
    many = [("Al", f"remind me on 3 June to call customer number {n}") for n in range(3 * MOST)]

    assert len(read(many, vectors=False).loops) <= MOST


@pytest.mark.parametrize(
    "text", ["", " ", "?", "?!" * 4000, "a" * 60_000, "👍", "\n\n", "1. 2. 3."]
)
def test_odd_messages_are_read(text: str) -> None:
    assert len(read([("Al", text), ("Bo", text)], vectors=False).loops) <= 8
