"""Days in words, and what is counted from when it was said."""

from __future__ import annotations

from datetime import datetime

import pytest

from graph.models.offline.dated import in_words, placed
from graph.models.offline.frames import FRAMES

ENGLISH = FRAMES["en"]
SATURDAY = datetime(2025, 5, 3, 14, 0)


def test_a_day_is_said_in_words() -> None:
    assert in_words(SATURDAY, ENGLISH) == "3 May 2025"


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("I fell yesterday", ["2 May 2025"]),
        ("Gestern hat es geregnet", ["2 May 2025"]),
        ("вчера ходили в кино", ["2 May 2025"]),
        ("it was three days ago", ["30 April 2025"]),
        ("we fly tomorrow", ["4 May 2025"]),
        ("we were there last week", ["the week of 21 April 2025"]),
        ("she left two months ago", ["March 2025"]),
        ("we met last year", ["2024"]),
        ("yesterday it was fine, tomorrow it rains", ["2 May 2025", "4 May 2025"]),
    ],
)
def test_a_time_counted_from_the_message_is_placed(text: str, days: list[str]) -> None:
    assert placed(text, SATURDAY, ENGLISH) == days


@pytest.mark.parametrize(
    "text",
    [
        "on Friday",
        "Pride! June 7",
        "in May",
        "in 2023",
        "this morning",
        "on 2 May 2025",
        "",
        "soon",
    ],
)
def test_what_may_lie_ahead_or_names_its_date_is_left_as_it_is(text: str) -> None:
    assert placed(text, SATURDAY, ENGLISH) == []
