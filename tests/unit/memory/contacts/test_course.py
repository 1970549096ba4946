"""What a contact's messages come to, day by day, and what of it holds at a moment."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.contacts.course import (
    DAYS_KEPT,
    GAPS_KEPT,
    advance,
    course_of,
    days_of,
    follows,
)
from memory.contacts.state import churn_risk, state_of, usual_hours
from memory.domain.contacts import MOODS, STAGES, Course, Mark, Marked, MoodName, State

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


def said(
    day: float, mood: MoodName = "neutral", confidence: float = 0.8, seq: int = 0, **mark: object
) -> Marked:
    given_mark = Mark(mood, confidence, 0.5)._replace(**mark)  # type: ignore[arg-type]
    return Marked(START + timedelta(days=day), seq or round(day * 1000), given_mark)


def made(*marked: Marked) -> Course:
    course = course_of(marked, UTC)
    assert course is not None
    return course


def at(course: Course | None, day: float) -> State:
    return state_of(course, START + timedelta(days=day), UTC)


def daily(days: int, every: int = 1) -> Course:
    return made(*(said(day) for day in range(0, days, every)))


def test_a_stranger_is_new_calm_and_likelier_to_come_back_than_not() -> None:
    found = at(None, 0)
    assert (found.stage, found.mood, found.energy, found.streak) == ("new", "neutral", "medium", 0)
    assert found.churn_risk == 0.25


def test_days_in_a_row_are_a_streak_until_a_day_is_missed() -> None:
    course = daily(5)
    assert [at(course, day).streak for day in (4, 5, 6)] == [5, 5, 0]
    assert at(advance(course, said(6), UTC), 6).streak == 1


def test_days_are_those_of_the_contacts_zone() -> None:
    evening = Marked(datetime(2026, 1, 5, 22, 30, tzinfo=UTC), 1, said(0).mark)
    night = Marked(datetime(2026, 1, 5, 23, 30, tzinfo=UTC), 2, said(0).mark)
    here, there = (course_of([evening, night], zone) for zone in (UTC, BERLIN))
    assert here is not None
    assert there is not None
    assert (here.active_days, there.active_days) == (1, 2)
    assert there.last_day == date(2026, 1, 6)
    assert there.hours[0] == 1.0


def test_an_hour_that_the_clock_repeats_begins_no_day() -> None:
    first = Marked(datetime(2026, 10, 25, 0, 30, tzinfo=UTC), 1, said(0).mark)
    again = Marked(datetime(2026, 10, 25, 1, 30, tzinfo=UTC), 2, said(0).mark)
    course = course_of([first, again], BERLIN)
    assert course is not None
    assert (course.active_days, course.hours[2]) == (1, 2.0)


def test_a_mood_is_that_of_the_last_messages_and_passes_with_time() -> None:
    course = made(said(0, "frustrated", 0.9))
    now = at(course, 0)
    assert (now.mood, now.mood_confidence) == ("frustrated", 0.9)
    assert at(course, 0.5).mood == "frustrated"
    assert at(course, 0.5).mood_confidence < now.mood_confidence
    assert at(course, 2).mood == "neutral"


def test_calm_messages_outweigh_an_outburst_and_one_does_not() -> None:
    course = made(said(0, "frustrated", 0.9))
    moods = []
    for number in range(1, 5):
        course = advance(course, said(number / 1440, confidence=0.8), UTC)
        moods.append(at(course, number / 1440).mood)
    assert moods[0] == "frustrated"
    assert moods[-1] == "neutral"


def test_energy_is_that_of_the_last_messages() -> None:
    levels = [at(made(said(0, energy=energy)), 0).energy for energy in (0.2, 0.5, 0.8)]
    assert levels == ["low", "medium", "high"]
    assert at(made(said(0, energy=0.9)), 3).energy == "medium"


def test_stages_rise_with_days_and_fall_with_silence() -> None:
    assert at(daily(1), 0).stage == "new"
    assert at(daily(2), 1).stage == "building"
    assert at(daily(20), 19).stage == "building"
    assert at(daily(25), 24).stage == "established"
    assert at(daily(100), 99).stage == "deep"
    course = daily(100)
    assert [at(course, 99 + days).stage for days in (6, 7, 29, 30)] == [
        "deep",
        "fading",
        "fading",
        "dormant",
    ]


def test_whoever_comes_back_after_long_is_as_close_as_is_left() -> None:
    course = advance(daily(100), said(99 + 400), UTC)
    assert at(course, 499).stage == "established"
    assert at(course, 499).streak == 1


def test_silence_is_weighed_by_ones_own_gaps() -> None:
    by_day, by_month = daily(30), daily(300, every=30)
    silent = 21
    assert at(by_day, 29 + silent).churn_risk > 0.9
    assert at(by_month, 270 + silent).churn_risk < 0.2
    assert at(by_month, 270 + silent).stage == "building"
    assert at(by_month, 270 + 365).stage == "dormant"


@given(st.lists(st.integers(1, 400), max_size=40), st.integers(0, 5_000))
def test_the_risk_lies_between_none_and_all_and_grows_with_silence(
    gaps: list[int], silent: int
) -> None:
    risk = churn_risk(gaps, silent)
    assert 0 < risk <= churn_risk(gaps, silent + 1) <= 1


def test_the_risk_of_a_newcomer_is_what_is_expected_of_anybody() -> None:
    assert churn_risk((), 0) == 0.25
    assert churn_risk((), 14) == pytest.approx(0.5)
    assert churn_risk((1,) * 5, 0) == pytest.approx(1 / 9)


@pytest.mark.parametrize(
    ("hours", "usual"),
    [
        ({9: 4}, None),
        ({9: 10}, (9, 10)),
        ({9: 5, 10: 5}, (9, 11)),
        ({23: 5, 0: 5, 12: 1}, (23, 1)),
        (dict.fromkeys(range(24), 1), (0, 20)),
    ],
)
def test_usual_hours_are_the_fewest_that_hold_most(
    hours: dict[int, int], usual: tuple[int, int] | None
) -> None:
    assert usual_hours([float(hours.get(hour, 0)) for hour in range(24)]) == usual


def test_the_language_is_what_was_written_in_most_of_late() -> None:
    course = made(*(said(day / 100, language="de") for day in range(1, 11)))
    assert at(course, 1).language == "de"
    for day in range(12):
        course = advance(course, said(1 + day / 100, language="en"), UTC)
    assert at(course, 2).language == "en"
    assert at(advance(course, said(3, language=""), UTC), 3).language == "en"


def test_each_day_has_the_mood_of_most_of_it() -> None:
    course = made(
        said(0, "sad", 0.9), said(0.01, "sad", 0.7), said(0.02, "excited", 0.6), said(1, "anxious")
    )
    assert [(day.messages, day.mood) for day in days_of(course)] == [(3, "sad"), (1, "anxious")]


def test_what_is_kept_stays_small() -> None:
    course = daily(200)
    assert (len(course.gaps), len(course.days), course.active_days) == (GAPS_KEPT, DAYS_KEPT, 200)


def test_a_message_follows_only_what_was_sent_before_it() -> None:
    course = made(said(1, seq=7))
    assert follows(course, course.last_at, 8)
    assert not follows(course, course.last_at, 7)
    assert not follows(course, said(0.5).at, 9)


moments = st.lists(
    st.tuples(st.integers(0, 3_000), st.sampled_from(MOODS), st.floats(0, 1)), max_size=30
)


@given(moments, st.integers(0, 30))
def test_going_on_is_the_same_as_beginning_anew(
    given_marks: list[tuple[int, MoodName, float]], cut: int
) -> None:
    marks = [
        said(hours / 7, mood, confidence, seq=seq)
        for seq, (hours, mood, confidence) in enumerate(sorted(given_marks), 1)
    ]
    course = course_of(marks[:cut], BERLIN)
    for each in marks[cut:]:
        course = advance(course, each, BERLIN)
    assert course == course_of(marks, BERLIN)
    found = state_of(course, START + timedelta(days=500), BERLIN)
    assert found.stage in STAGES
    assert 0 <= found.mood_confidence <= 1


def test_a_clock_behind_the_last_message_makes_no_silence() -> None:
    found = at(replace(daily(3)), 0)
    assert (found.silent_days, found.streak) == (0, 3)
