"""What is at hand, or being made, is not made again; whatever fails is made by who waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from memory.text.latest import Latest

pytestmark = pytest.mark.anyio


class _Maker:
    """Makes capitals, not before it is let; fails as often as it is told to."""

    def __init__(self, failures: int = 0) -> None:
        self.asked: list[list[str]] = []
        self.may = asyncio.Event()
        self._failures = failures

    async def __call__(self, keys: Sequence[str]) -> list[str]:
        self.asked.append(list(keys))
        await self.may.wait()
        if self._failures:
            self._failures -= 1
            raise OSError("no capitals")
        return [key.upper() for key in keys]


async def _begun(latest: Latest[str, str], maker: _Maker, keys: str) -> asyncio.Task[list[str]]:
    task = asyncio.create_task(latest.of(list(keys), maker))
    await asyncio.sleep(0)
    return task


async def test_two_who_ask_at_once_have_it_made_once() -> None:
    latest, maker = Latest[str, str](9), _Maker()
    first, second = await _begun(latest, maker, "abc"), await _begun(latest, maker, "cbd")
    maker.may.set()
    assert list(await asyncio.gather(first, second)) == [["A", "B", "C"], ["C", "B", "D"]]
    assert maker.asked == [["a", "b", "c"], ["d"]]
    assert await latest.of(["d", "a", "a"], maker) == ["D", "A", "A"]
    assert len(maker.asked) == 2


async def test_two_who_wait_for_each_other_both_come_to_an_end() -> None:
    latest, maker = Latest[str, str](9), _Maker()
    tasks = [await _begun(latest, maker, keys) for keys in ("ab", "bc", "ca")]
    maker.may.set()
    assert await asyncio.gather(*tasks) == [["A", "B"], ["B", "C"], ["C", "A"]]
    assert maker.asked == [["a", "b"], ["c"]]


@pytest.mark.parametrize("is_cancelled", [True, False])
async def test_who_waited_for_what_failed_makes_it(*, is_cancelled: bool) -> None:
    latest, maker = Latest[str, str](9), _Maker(0 if is_cancelled else 1)
    first, second = await _begun(latest, maker, "ab"), await _begun(latest, maker, "b")
    if is_cancelled:
        first.cancel()
        await asyncio.sleep(0)
    maker.may.set()
    with pytest.raises(asyncio.CancelledError if is_cancelled else OSError):
        await first
    assert await second == ["B"]
    assert maker.asked == [["a", "b"], ["b"]]


async def test_who_waits_and_is_cancelled_leaves_the_others_alone() -> None:
    latest, maker = Latest[str, str](9), _Maker()
    first, second = await _begun(latest, maker, "a"), await _begun(latest, maker, "a")
    second.cancel()
    await asyncio.sleep(0)
    maker.may.set()
    assert await first == ["A"]


async def test_only_the_latest_are_kept_however_many_are_asked_for() -> None:
    latest, maker = Latest[str, str](2), _Maker()
    maker.may.set()
    assert await latest.of(list("abc"), maker) == ["A", "B", "C"]
    assert await latest.of(["b", "c", "a"], maker) == ["B", "C", "A"]
    assert maker.asked == [["a", "b", "c"], ["a"]]


async def test_what_is_being_made_when_all_is_cleared_is_not_kept() -> None:
    latest, maker = Latest[str, str](9), _Maker()
    first = await _begun(latest, maker, "a")
    latest.clear()
    maker.may.set()
    assert await first == ["A"]
    assert await latest.of(["a"], maker) == ["A"]
    assert maker.asked == [["a"], ["a"]]
