"""A missing store costs one caller its patience; it is noticed once, and asked again by one."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from memory.errors import StoreRefused, StoreUnavailable
from memory.ports.outages import RETRY_S, Outages

pytestmark = pytest.mark.anyio
AT = datetime(2026, 1, 1, tzinfo=UTC)


class _Store:
    """Answers, or fails as a test says, and counts how often it was asked."""

    def __init__(self) -> None:
        self.trouble: Exception | None = None
        self.is_hanging = False
        self.asked = 0

    async def answer(self) -> str:
        self.asked += 1
        if self.is_hanging:
            await asyncio.sleep(60)
        if self.trouble is not None:
            raise self.trouble
        return "here"


class _Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def store() -> _Store:
    return _Store()


@pytest.fixture
def clock() -> _Clock:
    return _Clock()


@pytest.fixture
def outages(clock: _Clock) -> Outages:
    return Outages({"vectors": 0.05}, now=lambda: AT, clock=clock)


def _gone() -> StoreUnavailable:
    return StoreUnavailable("RECOLLECT_CHROMA_URL", "http://there", "Connection refused")


async def test_a_missing_store_is_asked_again_after_a_while_by_one(
    store: _Store, outages: Outages, clock: _Clock
) -> None:
    store.trouble = _gone()
    for _ in range(5):
        assert await outages.ask("vectors", store.answer) is None
    assert store.asked == 1
    assert outages.since == {"vectors": AT}
    clock.seconds = RETRY_S
    await asyncio.gather(*(outages.ask("vectors", store.answer) for _ in range(5)))
    assert store.asked == 2


async def test_what_hangs_costs_its_patience_once(store: _Store, outages: Outages) -> None:
    store.is_hanging = True
    async with asyncio.timeout(1):
        for _ in range(20):
            assert await outages.ask("vectors", store.answer) is None
    assert store.asked == 1


async def test_what_is_back_is_used_again(store: _Store, outages: Outages, clock: _Clock) -> None:
    store.trouble = _gone()
    await outages.ask("vectors", store.answer)
    store.trouble = None
    clock.seconds = RETRY_S
    assert await outages.ask("vectors", store.answer) == "here"
    assert outages.since == {}
    assert await outages.ask("vectors", store.answer) == "here"


async def test_a_late_answer_from_before_does_not_tell_that_it_is_back(
    store: _Store, outages: Outages, caplog: pytest.LogCaptureFixture
) -> None:
    may_answer = asyncio.Event()

    async def late() -> str:
        await may_answer.wait()
        return "late"

    asked_before = asyncio.create_task(outages.ask("vectors", late))
    await asyncio.sleep(0)
    store.trouble = _gone()
    await outages.ask("vectors", store.answer)
    may_answer.set()
    assert await asked_before == "late"
    assert outages.since == {"vectors": AT}
    assert "again" not in caplog.text


async def test_going_and_coming_back_are_a_line_each(
    store: _Store, outages: Outages, clock: _Clock, caplog: pytest.LogCaptureFixture
) -> None:
    store.trouble = _gone()
    for second in range(3 * int(RETRY_S)):
        clock.seconds = float(second)
        await asyncio.gather(*(outages.ask("vectors", store.answer) for _ in range(3)))
    store.trouble = None
    clock.seconds += RETRY_S
    for _ in range(3):
        await outages.ask("vectors", store.answer)
    went, came = (record.getMessage() for record in caplog.records)
    assert "vectors" in went
    assert "RECOLLECT_CHROMA_URL: cannot reach http://there (Connection refused)" in went
    assert came == "memory has vectors again"


async def test_a_store_that_refuses_for_good_is_missing_too(
    store: _Store, outages: Outages
) -> None:
    store.trouble = StoreRefused("RECOLLECT_CHROMA_URL", "HTTP 401")
    assert await outages.ask("vectors", store.answer) is None
    assert outages.since == {"vectors": AT}


async def test_what_memory_cannot_do_without_fails_as_it_does(
    store: _Store, outages: Outages
) -> None:
    store.trouble = _gone()
    for _ in range(2):
        with pytest.raises(StoreUnavailable):
            await outages.ask("facts", store.answer)
    assert outages.since == {}


async def test_a_bug_is_no_outage(store: _Store, outages: Outages) -> None:
    store.trouble = ZeroDivisionError()
    with pytest.raises(ZeroDivisionError):
        await outages.ask("vectors", store.answer)
