"""The day that people mean, in five languages, seen from a Tuesday evening in Berlin."""

from __future__ import annotations

from datetime import UTC, date, datetime
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


@pytest.mark.parametrize(
    "text",
    [
        "We went to Crete in May.",
        "We were in Rome in April",
        "Wir waren am 3. Mai in Rom",
        "Fuimos a Creta en mayo",
        "Fomos a Creta em maio",
        "Мы были на Крите 12 мая",
        "I was born on 12 March 1986",
        "I was born on 12 March",
        "Ich bin am 12. März 1986 geboren",
        "ich bin am 12.03.1986 geboren",
        "Nací el 12 de marzo de 1986",
        "Nasci em 12 de março",
        "Я родился 12 марта 1986",
    ],
)
def test_what_has_been_sets_no_day(text: str) -> None:
    assert due_day(text, datetime(2026, 11, 29, tzinfo=UTC)) is None


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("The wedding is in May", "2027-05-31"),
        ("We fly to Crete in May", "2027-05-31"),
        ("We went to Crete in May, and in June we fly to Rome", "2027-06-30"),
        ("The baby will be born in May", "2027-05-31"),
        ("I had to move the exam to 12 March", "2027-03-12"),
        ("We were told it is in May", "2027-05-31"),
        ("La boda será en mayo", "2027-05-31"),
        ("Vamos a Creta en mayo", "2027-05-31"),
        ("Свадьба 12 мая", "2027-05-12"),
        ("The exam was on 12 March 2027", "2027-03-12"),
    ],
)
def test_what_is_to_come_still_sets_one(text: str, day: str) -> None:
    assert due_day(text, datetime(2026, 11, 29, tzinfo=UTC)) == date.fromisoformat(day)


@pytest.mark.parametrize("text", ["31.12.9999", "9" * 5000, "the 31st " * 200, "on 30 " * 500])
def test_odd_input_has_a_day_or_none(text: str) -> None:
    assert due_day(text, AT) is None or isinstance(due_day(text, AT), date)
