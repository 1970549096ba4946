"""What a message tells of its writer, how to speak to them, and in which zone their days are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memory.contacts.marks import mark_of
from memory.contacts.mood import load_reader
from memory.contacts.tone import ADVICE, BUDGET, advice_for, unasked_tokens
from memory.domain.contacts import MOODS, STAGES
from memory.text.zones import zone_of


def test_a_mark_holds_mood_energy_and_language() -> None:
    reader = load_reader()
    angry = mark_of("This is so annoying, I AM SO ANGRY!!!", reader, None)
    assert (angry.mood, angry.language) == ("frustrated", "en")
    sad = mark_of("I miss her so much, I am so sad...", reader, None)
    assert sad.mood == "sad"
    assert sad.energy < 0.4 < 0.6 < angry.energy
    assert mark_of("", reader, None).mood == "neutral"
    assert 0 <= mark_of("WOW!!! " * 20_000, reader, None).energy <= 1


def test_every_mood_but_none_has_its_advice_and_every_stage_its_budget() -> None:
    assert ADVICE.keys() == set(MOODS) - {"neutral"}
    assert BUDGET == {
        "new": 0,
        "building": 500,
        "established": 1200,
        "deep": 2000,
        "fading": 800,
        "dormant": 200,
    }
    assert BUDGET.keys() == set(STAGES)


def test_a_turn_has_a_little_memory_of_anybody_and_else_what_the_stage_gives() -> None:
    assert [unasked_tokens(stage) for stage in STAGES] == [200, 500, 1200, 2000, 800, 200]


def test_advice_follows_a_mood_that_is_likely_and_a_stage_that_calls_for_it() -> None:
    assert advice_for("frustrated", 0.9, "building") == ADVICE["frustrated"]
    assert advice_for("frustrated", 0.4, "building") == ""
    assert advice_for("neutral", 1.0, "deep") == ""
    assert advice_for("sad", 0.8, "dormant").startswith(ADVICE["sad"])
    assert "away for long" in advice_for("sad", 0.8, "dormant")


@pytest.mark.parametrize(
    ("name", "hours"),
    [
        ("Europe/Berlin", 2),
        ("cest", 2),
        ("UTC+5:30", 5.5),
        ("GMT -3", -3),
        ("utc", 0),
        ("EST", -4),
    ],
)
def test_zones_are_known_by_their_names(name: str, hours: float) -> None:
    zone = zone_of(name)
    assert zone is not None
    summer = datetime(2026, 7, 1, 12, tzinfo=UTC)
    assert summer.astimezone(zone).utcoffset() == timedelta(hours=hours)


@pytest.mark.parametrize("name", ["", "Leeds", "../etc/passwd", "UTC+27", "UTC+5:99", "\x00"])
def test_what_names_no_zone_is_none(name: str) -> None:
    assert zone_of(name) is None
