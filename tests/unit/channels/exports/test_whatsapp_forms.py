"""Every country's form of a WhatsApp export reads back as what was said."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from channels.exports.errors import ExportError, UndecidedDates
from channels.exports.export import DateOrder
from tests.unit.channels.exports.whatsapp_forms import (
    BY_NAME,
    FORMS,
    Form,
    Said,
    chat,
    entries_of,
    written,
)

NAMES = st.sampled_from(["Anna", "Ben Müller", "+49 170 1234567", "Ольга", "José (work)", "李雷"])
WORDS = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Cf", "Zl", "Zp"], exclude_characters="\ufffd"),
    min_size=1,
    max_size=60,
)


@st.composite
def talks(draw: st.DrawFn) -> list[Said]:
    """A few weeks of talk, in order, over the end of at least one month."""
    at = datetime(2024, 11, 25, 9, 30, 15)
    said = [Said(at, "Anna", "hello there")]
    for _ in range(draw(st.integers(8, 14))):
        at += timedelta(days=draw(st.integers(1, 4)), seconds=draw(st.integers(0, 86_000)))
        body = "\n".join(f"so {draw(WORDS)}." for _ in range(draw(st.integers(1, 3))))
        said.append(Said(at, draw(NAMES), body.strip()))
    return said


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
@settings(max_examples=12, deadline=None)
@given(said=talks())
def test_a_conversation_reads_back_from_every_form(form: Form, said: list[Said]) -> None:
    with TemporaryDirectory() as folder:
        found = entries_of(Path(folder), written(form, said, "\r\n" if form.has_seconds else "\n"))
    keep = {} if form.has_seconds else {"second": 0}
    assert [(one.sent_at, one.sender, one.text) for one in found] == [
        (at.replace(tzinfo=UTC, **keep), name, text) for at, name, text in said
    ]
    assert len({one.message_id for one in found}) == len(found)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_midnight_and_noon_are_told_apart(form: Form, tmp_path: Path) -> None:
    days = [datetime(2024, 12, 31), datetime(2024, 12, 31, 12), datetime(2025, 1, 1, 0, 5)]
    days += [datetime(2025, 1, day, 23, 59) for day in range(2, 20)]
    found = entries_of(tmp_path, written(form, [Said(at, "Anna", "hm") for at in days]))
    assert [one.sent_at for one in found] == [at.replace(tzinfo=UTC) for at in days]


@pytest.mark.parametrize(
    ("dates", "order"),
    [
        (["31/12/24", "01/01/25"], "dmy"),
        (["12/31/24", "01/01/25"], "mdy"),
        # In order if the day comes first: 1, 2, 3 February, 1 March.
        (["01/02/24", "02/02/24", "03/02/24", "01/03/24", "02/03/24"], "dmy"),
        (["02/01/24", "02/02/24", "02/03/24", "03/01/24", "03/02/24"], "mdy"),
        # A late message steps back a day; that alone decides nothing.
        (["12/30/24", "12/31/24", "12/30/24", "12/31/24"], "mdy"),
        (["24/12/30", "24/12/31", "25/01/01", "25/01/02"], "ymd"),
        (["05/05/24", "05/05/24"], "dmy"),
        (["01.02.24", "02.02.24"], "dmy"),
    ],
)
def test_the_whole_file_decides_the_order_of_dates(
    dates: list[str], order: DateOrder, tmp_path: Path
) -> None:
    text = "".join(f"{day}, 10:00 - Anna: hi\n" for day in dates)
    found = entries_of(tmp_path, text)
    assert [one.sent_at for one in found] == [
        one.sent_at for one in entries_of(tmp_path, text, date_order=order)
    ]
    year, month, day = (
        dict(zip(order, dates[0].replace(".", "/").split("/"), strict=True))[part] for part in "ymd"
    )
    assert f"{found[0].sent_at:%y/%m/%d}" == f"{year}/{month}/{day}"


def test_dates_that_read_both_ways_are_asked_for(tmp_path: Path) -> None:
    text = "01/02/24, 10:00 - Anna: hi\n02/02/24, 10:00 - Anna: hello\n"
    with pytest.raises(UndecidedDates, match="--date-order dmy or --date-order mdy"):
        chat(tmp_path, text)
    (first, _) = entries_of(tmp_path, text, date_order="mdy")
    assert first.sent_at == datetime(2024, 1, 2, 10, tzinfo=UTC)
    (first, _) = entries_of(tmp_path, text, date_order="dmy")
    assert first.sent_at == datetime(2024, 2, 1, 10, tzinfo=UTC)


def test_an_order_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="not written mdy.*--date-order dmy"):
        chat(tmp_path, "31/12/24, 10:00 - Anna: hi\n", date_order="mdy")
    with pytest.raises(ExportError, match="--date-order ymd"):
        chat(tmp_path, "2024-12-31, 10:00 - Anna: hi\n", date_order="dmy")


def test_one_pasted_line_does_not_turn_the_dates_round(tmp_path: Path) -> None:
    said = [Said(datetime(2024, 12, day, 9), "Anna", "hi") for day in range(1, 29)]
    text = written(BY_NAME["android-uk"], said) + "12/31/2024, 09:00 - Ben: pasted\n"
    found = entries_of(tmp_path, text)
    assert len(found) == len(said)
    assert found[-1].text == "hi\n12/31/2024, 09:00 - Ben: pasted"


def test_wall_clocks_are_read_in_the_given_zone(tmp_path: Path) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    export = chat(
        tmp_path, "31.12.24, 21:41 - Anna: hi\n30.06.25, 21:41 - Anna: hi\n", timezone=berlin
    )
    assert [one.sent_at.hour for one in export.entries()] == [20, 19]
    assert all(one.sent_at.tzinfo is UTC for one in export.entries())


def test_an_hour_that_the_clock_runs_twice_keeps_every_message(tmp_path: Path) -> None:
    hour = "".join(f"27.10.24, 02:{minute:02} - Anna: tick\n" for minute in range(60))
    export = chat(tmp_path, hour + hour, timezone=ZoneInfo("Europe/Berlin"))
    found = list(export.entries())
    assert len({one.message_id for one in found}) == export.messages == 120


def test_two_exports_in_one_file_are_refused(tmp_path: Path) -> None:
    said = [Said(datetime(2024, 12, 1) + timedelta(hours=n), "Anna", "hi") for n in range(200)]
    text = written(BY_NAME["android-uk"], said) + written(BY_NAME["ios-de"], said)
    with pytest.raises(ExportError, match="line 201: .* two exports; import them one by one"):
        chat(tmp_path, text)


def test_what_looks_like_another_phones_line_stays_text(tmp_path: Path) -> None:
    text = "31.12.24, 21:41 - Anna: look\n[31.12.24, 21:00:05] Ben: pasted\n12/31, 9 PM - x: y\n"
    (only,) = entries_of(tmp_path, text)
    assert only.text.count("\n") == 2
