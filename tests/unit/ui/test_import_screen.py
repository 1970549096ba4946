"""What an import says while it runs, and how it asks."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest

from ui.cli.import_screen import ImportScreen, asked_number, duration, period
from ui.local_time import UnknownZone, local_zone, zone_named


def test_time_left_is_said_in_words() -> None:
    assert [duration(s) for s in (0.4, 80, 600, 12_000)] == ["0 s", "80 s", "10 min", "3 h 20 min"]


def test_a_period_is_two_days() -> None:
    assert period(None, None) == ""
    noon = datetime(2025, 3, 1, 12, tzinfo=UTC)
    assert period(noon, noon.replace(day=9)) == "2025-03-01 to 2025-03-09"


def test_a_number_is_asked_for_until_one_fits(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("0\nx\n3\n2\n"))
    assert asked_number("Who?", ["Anna", "Max"]) == 1
    assert capsys.readouterr().err.count("Who? [1-2]") == 4


def test_no_answer_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    with pytest.raises(KeyboardInterrupt):
        asked_number("Who?", ["Anna", "Max"])


def test_without_a_terminal_progress_is_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ui.cli.import_screen.LINE_EVERY_S", 0.0)
    screen = ImportScreen()
    screen.total = 1_000
    with screen:
        screen.moved(250)
    assert "250 of 1,000 messages" in capsys.readouterr().err


def test_zones_have_names() -> None:
    assert zone_named("Europe/Berlin")[0] == "Europe/Berlin"
    with pytest.raises(UnknownZone, match="no such time zone"):
        zone_named("Mars/Olympus")
    with pytest.raises(UnknownZone):
        zone_named("../etc/passwd")
    name, zone = local_zone()
    assert name
    assert datetime.now(zone).utcoffset() is not None


def test_the_zone_of_the_environment_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert local_zone()[0] == "Asia/Tokyo"
