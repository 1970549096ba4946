"""Rest: what is open decides, two looks in a row; patience ends, and says what was left."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from itertools import chain, count, repeat

import pytest

from evals.errors import NeverAtRest
from evals.loops import rest
from evals.loops.cases import Account
from evals.loops.gateways import Line
from evals.loops.ledger import OpenWork
from evals.loops.placeholders import Sent
from tests.unit.evals.loops.sample import ANA, ME

pytestmark = pytest.mark.anyio

JOB = OpenWork("s.1", "jobs", 1, 0)
STRANGER = OpenWork("s.2", "jobs", 1, 0)


class Looked:
    """What is open at each look, and how many there were."""

    def __init__(self, looks: Iterator[list[OpenWork]]) -> None:
        self._looks = looks
        self.count = 0

    async def open_work(self) -> list[OpenWork]:
        self.count += 1
        return next(self._looks)


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rest, "LOOK_S", 0.0)


@pytest.fixture
def line() -> Line:
    async def post(account: str, event: object) -> None:
        raise NotImplementedError

    account = Account.model_validate({"session": "s.1", "me": ME})
    return Line({"s.1": account}, "after", "GOWS", lambda: 0.0, post)


async def _looks(
    line: Line, looks: Iterator[list[OpenWork]], until: Callable[[], bool] = lambda: False
) -> int:
    looked = Looked(looks)
    await rest.come_to_rest([line], looked, lambda: None, until)
    return looked.count


async def test_nothing_open_twice_is_rest_however_long_it_was_busy(line: Line) -> None:
    assert await _looks(line, repeat([])) == 2
    assert await _looks(line, chain(repeat([JOB], 900), [[], [JOB], [], []])) == 904


async def test_what_others_have_open_is_not_waited_for(line: Line) -> None:
    assert await _looks(line, repeat([STRANGER])) == 2


async def test_an_echo_on_its_way_is_waited_for(line: Line) -> None:
    arrived = asyncio.Event()

    async def echoed() -> None:
        await arrived.wait()

    echo = asyncio.create_task(echoed())
    line.echoing.add(echo)
    echo.add_done_callback(line.echoing.discard)

    def looks() -> Iterator[list[OpenWork]]:
        yield from repeat([], 5)
        arrived.set()
        yield from repeat([])

    assert await _looks(line, looks()) > 6


async def test_a_send_between_two_looks_is_no_rest(line: Line) -> None:
    def sending() -> Iterator[list[OpenWork]]:
        yield []
        line.sent.append(Sent("s.1", ANA, "1", "1", "Hi", 0))
        yield from repeat([])

    # The look that finds it is the second of three: it looks once more.
    assert await _looks(line, sending()) == 3


async def test_it_ends_as_soon_as_what_is_waited_for_is_there(line: Line) -> None:
    assert await _looks(line, repeat([JOB]), lambda: True) == 0


async def test_hanging_and_going_on_for_ever_are_told_in_one_line(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rest, "STUCK_LOOKS", 50)
    monkeypatch.setattr(rest, "MOST_LOOKS", 100)
    monkeypatch.setattr(rest, "MOST_LOOKS_AN_ORDER", 10)
    hanging = Looked(repeat([JOB]))
    with pytest.raises(NeverAtRest, match=r"never came to rest; open in the end: 1 jobs$"):
        await rest.come_to_rest([line], hanging, lambda: None)
    assert hanging.count == 51
    endless = Looked([OpenWork("s.1", "replies not sent", 2, n)] for n in count())
    with pytest.raises(NeverAtRest, match="2 replies not sent"):
        await rest.come_to_rest([line], endless, lambda: None)
    assert endless.count == 110


async def test_a_dead_server_ends_the_wait(line: Line) -> None:
    def dead() -> None:
        raise RuntimeError("dead")

    with pytest.raises(RuntimeError):
        await rest.come_to_rest([line], Looked(repeat([JOB])), dead)
