"""How long a sender's messages wait for more of the same (N3)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.domain.work import Waiting
from server.work.debounce import Debounce
from tests.messages import message

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
DEBOUNCE = Debounce(quiet_ms=800, longest_ms=5_000)


def waiting(first_ms: float, last_ms: float, *, is_command: bool = False) -> Waiting:
    """Return what arrived so many milliseconds ago."""
    first, last = (NOW - timedelta(milliseconds=ms) for ms in (first_ms, last_ms))
    return Waiting(message(), first, last, is_command)


def test_a_turn_starts_when_its_sender_has_been_quiet() -> None:
    assert DEBOUNCE.wait_s(waiting(300, 300), NOW) == pytest.approx(0.5)
    assert DEBOUNCE.wait_s(waiting(800, 800), NOW) == 0
    assert DEBOUNCE.wait_s(waiting(2_000, 200), NOW) == pytest.approx(0.6)


def test_a_turn_starts_at_the_latest_so_long_after_the_first_message() -> None:
    assert DEBOUNCE.wait_s(waiting(4_900, 0), NOW) == pytest.approx(0.1)
    assert DEBOUNCE.wait_s(waiting(5_000, 0), NOW) == 0


def test_a_command_does_not_wait() -> None:
    assert DEBOUNCE.wait_s(waiting(0, 0, is_command=True), NOW) == 0


def test_a_message_from_the_future_does_not_wait_for_the_clock() -> None:
    assert DEBOUNCE.wait_s(waiting(-3_600_000, -3_600_000), NOW) == 0
    assert 0 < DEBOUNCE.wait_s(waiting(-100, -100), NOW) <= 0.9


@given(
    quiet=st.integers(0, 60_000),
    longest=st.integers(0, 300_000),
    first=st.integers(-10_000_000, 10_000_000),
    length=st.integers(0, 1_000_000),
)
def test_no_wait_is_longer_than_the_longest_or_negative(
    quiet: int, longest: int, first: int, length: int
) -> None:
    left = Debounce(quiet, longest).wait_s(waiting(first, first - length), NOW)
    assert 0 <= left <= 2 * longest / 1000 + quiet / 1000
