"""The memory block's moment, which the prompt shows and the responder reads."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.recall.block import MemoryBlock, block_text, moment_of, read_block, read_moment

NOW = datetime(2026, 11, 29, 23, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "told"),
    [
        ("", "Sunday 2026-11-29 23:30 (UTC)"),
        ("nowhere", "Sunday 2026-11-29 23:30 (UTC)"),
        ("Europe/Berlin", "Monday 2026-11-30 00:30 (Europe/Berlin)"),
        ("UTC-3", "Sunday 2026-11-29 20:30 (UTC-3)"),
    ],
)
def test_a_moment_is_told_by_the_clock_of_who_asks(zone: str, told: str) -> None:
    assert moment_of(NOW, zone) == told
    moment = read_moment(told)
    assert moment is not None
    assert f"{moment:%A %Y-%m-%d %H:%M}" in told


def test_what_is_no_moment_is_read_as_none() -> None:
    assert read_moment("") is None
    assert read_moment("soon") is None
    block = MemoryBlock(now=moment_of(NOW))
    assert read_block(block_text(block)) == block
