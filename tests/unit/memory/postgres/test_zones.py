"""Zones as the database reads them, and back."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.postgres.zones import named, read_zone
from memory.text.zones import zone_of

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ("Europe/Berlin", "Europe/Berlin"),
        ("CET", "Europe/Berlin"),
        ("UTC", "UTC"),
        ("UTC+2", "-02:00"),
        ("UTC-9:30", "+09:30"),
        ("UTC+5:45", "-05:45"),
    ],
)
def test_a_zone_is_kept_as_the_database_reads_it(told: str, kept: str) -> None:
    zone = zone_of(told)
    assert zone is not None
    assert named(zone) == kept
    assert NOW.astimezone(read_zone(kept)).utcoffset() == NOW.astimezone(zone).utcoffset()


def test_what_was_kept_by_another_name_is_read_too() -> None:
    assert NOW.astimezone(read_zone("UTC+02:00")).hour == 14
    assert read_zone("nowhere") is UTC
