"""The circuit breaker: opens after failures in a row, and is tried at growing intervals."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from memory.domain.breaker import OPENS_AFTER, PAUSE_CAP_S, Breaker

START = datetime(2026, 11, 1, tzinfo=UTC)
FRESH = Breaker(0, START, START)


def test_it_opens_after_failures_in_a_row_and_waits_twice_as_long_each_time() -> None:
    breaker = FRESH
    pauses: list[float] = []
    for _ in range(OPENS_AFTER - 1):
        breaker = breaker.after_failure(START, failures_before=breaker.failures)
        assert not breaker.is_open
    for _ in range(9):
        breaker = breaker.after_failure(START, failures_before=max(breaker.failures, OPENS_AFTER))
        if not pauses:
            assert breaker.is_open
        pauses.append((breaker.trial_at - START).total_seconds())
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60]


def test_what_was_under_way_when_it_opened_says_nothing_new() -> None:
    opened = Breaker(OPENS_AFTER, START, START + timedelta(seconds=1))
    assert opened.after_failure(START, failures_before=OPENS_AFTER - 1) is opened
    assert opened.after_failure(START, failures_before=OPENS_AFTER).failures == OPENS_AFTER + 1


@given(st.lists(st.floats(0, 3600), max_size=200))
def test_however_often_it_fails_the_next_trial_is_near(gaps: list[float]) -> None:
    breaker, now = FRESH, START
    for gap in gaps:
        now += timedelta(seconds=gap)
        breaker = breaker.after_failure(now, failures_before=breaker.failures)
        assert now <= breaker.trial_at <= now + timedelta(seconds=PAUSE_CAP_S)
    assert breaker.failures == len(gaps)
    assert breaker.since == START
