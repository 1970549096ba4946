"""Where topics begin: gaps, words, shifts that last, and the same answer turn by turn."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.episodes import EPISODE_GAP_H, Tracker, Turn, advance, segment, settle
from memory.episodes.cues import read_cues
from memory.episodes.features import words_of

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
DIMENSION = 24
SAID = (
    "the kitchen tiles in the {} corner need more of that grey paint soon",
    "our train to the {} coast was late and everyone stood for an hour",
    "she bakes bread with {} flour and lets the dough rest over night",
)


def about(topic: int, number: int) -> Turn:
    """Make a turn whose vector lies near its topic's axis, with some noise of its own."""
    noise = np.random.default_rng(topic * 1000 + number).normal(0, 0.12, DIMENSION)
    vector = noise + np.eye(DIMENSION)[topic]
    text = SAID[topic].format("north south east west upper lower".split()[number % 6])
    return Turn((vector / np.linalg.norm(vector)).astype(np.float32), text)


def chat(*topics: int) -> list[Turn]:
    return [about(topic, number) for number, topic in enumerate(topics)]


def turn_by_turn(turns: Sequence[Turn]) -> list[tuple[int, int]]:
    """Return each boundary with the index of the turn at which it was decided."""
    tracker, found = Tracker(), []
    for index, turn in enumerate(turns):
        tracker, boundaries = advance(tracker, turn)
        found += [(one, index) for one in boundaries]
    return found + [(one, len(turns)) for one in settle(tracker)[1]]


def test_a_shift_that_lasts_begins_an_episode_where_it_began() -> None:
    assert segment(chat(*[0] * 6, *[1] * 6, *[2] * 6)) == [6, 12]


def test_one_topic_is_one_episode() -> None:
    assert segment(chat(*[0] * 20)) == []


def test_a_shift_of_one_turn_does_not_split() -> None:
    assert segment(chat(*[0] * 6, 1, *[0] * 6)) == []


def test_a_shift_at_the_very_last_turn_waits() -> None:
    assert segment(chat(*[0] * 6, 1)) == []


def test_no_flapping_between_two_topics() -> None:
    boundaries = segment(chat(*[0] * 6, *[0, 1] * 8))
    assert all(later - earlier >= 2 for earlier, later in pairwise(boundaries))
    assert len(boundaries) <= 2


def test_a_long_gap_begins_an_episode_at_once_and_a_short_one_does_not() -> None:
    hours = (0, 0.1, 0.2, EPISODE_GAP_H + 0.2, 8.5, 9.0)
    turns = [
        Turn(turn.vector, turn.text, NOON + timedelta(hours=hour))
        for turn, hour in zip(chat(*[0] * 6), hours, strict=True)
    ]
    assert segment(turns) == []  # exactly the gap is not above it
    later = [Turn(one.vector, one.text, one.at and one.at + timedelta(minutes=1)) for one in turns]
    assert turn_by_turn([*turns[:3], *later[3:]]) == [(3, 3)]
    assert segment(turns, gap_h=6) == [3]


def test_turns_without_a_time_do_not_hide_a_gap() -> None:
    first, second, third = chat(0, 0, 0)
    turns = [
        Turn(first.vector, first.text, NOON),
        second,
        Turn(third.vector, third.text, NOON + timedelta(days=1)),
    ]
    assert segment(turns) == [2]


@pytest.mark.parametrize(
    "text",
    [
        "Let's talk about something else.",
        "Ok. Can we change the subject?",
        "давай про другое",
        "Давай поговорим о чём-нибудь другом",
        "Lass uns über was anderes reden",
        "Themawechsel!",
        "Cambiando de tema, ¿qué tal tu madre?",
        "Mudando de assunto, viu o jogo?",
        "Parlons d'autre chose",
        "Cambiamo argomento",
        "换个话题吧",
    ],
)
def test_words_that_name_a_change_begin_an_episode_at_once(text: str) -> None:
    turns = chat(*[0] * 6)
    turns[3] = Turn(turns[3].vector, text)
    assert turn_by_turn(turns) == [(3, 3)]


@pytest.mark.parametrize(
    "text",
    [
        "Actually, let's talk about my garden.",
        "Thanks, that helps. Can we talk about the rent now?",
        "I’d like to talk to you about that job in Leeds",
        "Lass uns mal über den Garten reden",
        "Reden wir lieber vom Urlaub!",
        "Hablemos de mi jardín",
        "Vale. Quiero hablar de la boda",
        "Vamos falar sobre o jardim",
        "Давай поговорим о саде",
        "Хочу поговорить про отпуск",
    ],
)
def test_what_is_to_be_talked_of_begins_an_episode_unless_the_last_has_just_begun(
    text: str,
) -> None:
    turns = chat(*[0] * 6)
    turns[3] = Turn(turns[3].vector, text)
    assert turn_by_turn(turns) == [(3, 3)]
    greeted = [turns[0], turns[1], turns[3], turns[4]]
    assert segment(greeted) == []


@pytest.mark.parametrize(
    "text",
    [
        "We should talk about the rent some day.",
        "Let's talk about it",
        "Can we talk about that?",
        "Let's talk about the rent tomorrow",
        "Can we talk about the tests once they are back?",
        "They want to talk about their feelings all day long",
        f"Write her a letter: {'dear Ana, ' * 20} I want to talk about your garden.",
        "Lass uns morgen über den Garten reden",
        "Lass uns über das reden",
        "Können wir später über die Miete sprechen?",
        "Hablemos de eso",
        "Vamos falar disso amanhã",
        "Поговорим об этом",
        "Давай поговорим о саде завтра",
    ],
)
def test_what_was_talked_of_or_shall_be_later_does_not(text: str) -> None:
    assert not read_cues(text).names


@pytest.mark.parametrize(
    "text",
    [
        "I study a different subject at university.",
        "I had to change the subject of my thesis twice that year",
        "she walked by the way of the river, which took far longer than planned",
    ],
)
def test_words_about_something_else_do_not(text: str) -> None:
    cues = read_cues(text)
    assert not cues.changes
    assert not cues.aside


@pytest.mark.parametrize(
    "text",
    [
        "By the way, did you call her?",
        "The dog was sick, by the way.",
        "Да, кстати, а что с машиной?",
        "Übrigens, wann kommst du?",
        "Por cierto, ¿y tu hermana?",
        "Au fait, tu viens ?",
    ],
)
def test_an_aside_is_heard(text: str) -> None:
    assert read_cues(text).aside


def test_an_aside_with_a_shift_splits_at_the_end_too_but_not_without_a_shift() -> None:
    shifted = chat(*[0] * 6, 1)
    shifted[6] = Turn(shifted[6].vector, f"By the way, {shifted[6].text}")
    assert segment(shifted) == [6]
    same = chat(*[0] * 9)
    same[5] = Turn(same[5].vector, f"By the way, {same[5].text}")
    assert segment(same) == []


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 2), min_size=1, max_size=30))
def test_turn_by_turn_is_the_list_form_and_decides_within_two_turns(topics: list[int]) -> None:
    turns = chat(*topics)
    decided = turn_by_turn(turns)
    boundaries = [one for one, _ in decided]
    assert boundaries == segment(turns)
    assert all(at - one <= 2 for one, at in decided)
    assert all(0 < one < len(turns) for one in boundaries)
    assert all(later > earlier for earlier, later in pairwise(boundaries))


def test_what_comes_later_does_not_change_what_was_decided() -> None:
    turns = chat(*[0] * 6, *[1] * 6, *[2] * 6)
    decided = turn_by_turn(turns)
    for length in range(1, len(turns)):
        tracker, found = Tracker(), []
        for turn in turns[:length]:
            tracker, boundaries = advance(tracker, turn)
            found += boundaries
        assert found == [one for one, at in decided if at < length]


def test_vectors_of_any_dimension_and_of_no_length_are_taken() -> None:
    turns = [Turn(np.zeros(7, np.float32), "ok") for _ in range(8)]
    assert segment(turns) == []
    assert segment([]) == []


def test_what_is_kept_of_a_long_chat_does_not_grow() -> None:
    tracker = Tracker()
    for turn in chat(*[0] * 200):
        tracker, _ = advance(tracker, turn)
    assert len(tracker.recent) <= 11


def test_words_are_compared_by_their_beginnings() -> None:
    assert words_of("The printers printed") == {"print"}
    assert words_of("принтер не печатает") & words_of("эти принтеры печатали")
