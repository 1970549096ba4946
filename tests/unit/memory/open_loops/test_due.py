"""The day that people mean, in five languages, seen from a Tuesday evening in Berlin."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest

from memory.open_loops.due import due_day, timing

AT = datetime(2026, 3, 3, 18, 0, tzinfo=ZoneInfo("Europe/Berlin"))


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("I'll do it tomorrow", "2026-03-04"),
        ("tmrw at noon", "2026-03-04"),
        ("in the morning", "2026-03-04"),
        ("tonight", "2026-03-03"),
        ("see you on weds", "2026-03-04"),
        ("send it by Friday", "2026-03-06"),
        ("next week", "2026-03-15"),
        ("this weekend", "2026-03-08"),
        ("pay by the 10th pls", "2026-03-10"),
        ("we leave on the 1st", "2026-04-01"),
        ("Sunday the 15th", "2026-03-15"),
        ("it moved from Friday to Sunday", "2026-03-08"),
        ("by the end of the month", "2026-03-31"),
        ("in two weeks", "2026-03-17"),
        ("on 3 June", "2026-06-03"),
        ("on 2 March", "2026-03-02"),
        ("call at 8 pm", "2026-03-03"),
        ("übermorgen", "2026-03-05"),
        ("bis nächsten Freitag", "2026-03-13"),
        ("am 5. um drei", "2026-03-05"),
        ("bis 24.4.", "2026-04-24"),
        ("pasado mañana", "2026-03-05"),
        ("el viernes que viene", "2026-03-06"),
        ("el martes 17 a las 20h", "2026-03-17"),
        ("depois de amanhã", "2026-03-05"),
        ("ensaio quinta 20h", "2026-03-05"),
        ("me cutuca dia 18 cedo", "2026-03-18"),
        ("послезавтра", "2026-03-05"),
        ("записался на 31го на 8 утра", "2026-03-31"),
        ("перенёс на девятое", "2026-03-09"),
        ("в пятницу", "2026-03-06"),
    ],
)
def test_a_day_is_read_forwards(text: str, day: str) -> None:
    found = due_day(text, AT)

    assert found == (date.fromisoformat(day) if date.fromisoformat(day) >= AT.date() else None)


@pytest.mark.parametrize(
    "text",
    [
        "yesterday", "last Friday", "since May", "two days ago", "ich war gestern da",
        "he sat down", "the sun is out", "room 214", "50% off", "on 31 February", "",
    ],
)  # fmt: skip
def test_what_names_no_day_ahead_has_none(text: str) -> None:
    assert due_day(text, AT) is None


def test_the_day_is_that_of_the_speakers_zone() -> None:
    late = datetime(2026, 3, 3, 23, 30, tzinfo=ZoneInfo("America/New_York"))

    assert due_day("tomorrow", late) == date(2026, 3, 4)
    assert due_day("tomorrow", late.astimezone(ZoneInfo("UTC"))) == date(2026, 3, 5)


def test_what_is_over_and_what_is_ahead_are_told_apart() -> None:
    assert timing("yesterday", AT)[0] == 0
    assert timing("yesterday", AT)[4] == 1
    assert timing("tomorrow", AT)[:3] == [1, 0, 1]


@pytest.mark.parametrize("text", ["31.12.9999", "9" * 5000, "the 31st " * 200, "on 30 " * 500])
def test_odd_input_has_a_day_or_none(text: str) -> None:
    assert due_day(text, AT) is None or isinstance(due_day(text, AT), date)
