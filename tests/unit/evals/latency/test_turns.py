"""Who plays when, what counts, and the figures that come of it."""

from __future__ import annotations

import random

import pytest

from evals.latency.figures import FLOOR, STORE_FLOOR, Measured, figures
from evals.latency.players import CHAT, Played, Player, TurnFailedError
from evals.latency.turns import WARM_UP, Timed, play_turns
from evals.suite.progress import Progress
from evals.suite.requirements import PRODUCT

pytestmark = pytest.mark.anyio


class Scripted(Player):
    """Notes who played, and fails from a turn on."""

    def __init__(self, name: str, log: list[str], fails_from: int = 1_000) -> None:
        self._name, self._log, self._left = name, log, fails_from
        self.texts: list[str] = []

    async def turn(self, text: str, chat: str = CHAT) -> Played:
        del chat
        if not self._left:
            raise TurnFailedError("no reply today")
        self._left -= 1
        self._log.append(self._name)
        self.texts.append(text)
        return Played(4.0, 3.0, {"store": 2.5})

    async def rest(self) -> None:
        self._log.append("rests")


async def played(count: int, **players: Scripted) -> dict[str, Timed]:
    timed = {name: Timed() for name in players}
    await play_turns(players, timed, count, random.Random(1), Progress())
    return timed


async def test_players_take_turns_and_each_rests_before_the_next() -> None:
    log: list[str] = []
    a, b = Scripted("a", log), Scripted("b", log)
    await played(2, a=a, b=b)
    assert log[:8] == ["a", "rests", "b", "rests", "b", "rests", "a", "rests"]
    assert not {*a.texts} & {*b.texts}


async def test_a_warm_up_is_not_measured() -> None:
    timed = await played(3, a=Scripted("a", []))
    assert timed["a"].turn == [4.0] * 3
    assert timed["a"].outside == [1.5] * 3


async def test_who_fails_plays_no_more_and_the_others_go_on() -> None:
    timed = await played(3, a=Scripted("a", [], fails_from=WARM_UP + 1), b=Scripted("b", []))
    assert (timed["a"].failed, len(timed["a"].turn)) == ("no reply today", 1)
    assert (timed["b"].failed, len(timed["b"].turn)) == ("", 3)


def test_ratios_are_to_the_floors_that_were_played() -> None:
    product, floor, store = Timed(), Timed(), Timed()
    product.add(Played(40.0, 30.0))
    floor.add(Played(10.0))
    store.add(Played(50.0, 60.0))
    timed = {PRODUCT: product, FLOOR: floor, STORE_FLOOR: store}
    metrics = figures(timed, Measured())[PRODUCT].metrics
    ratios = ("turn_ratio", "reply_ratio", "reply_store_floor_ratio", "turn_store_floor_ratio")
    assert [metrics[name] for name in ratios] == [4.0, 3.0, 0.5, 0.8]
    alone = figures({PRODUCT: product}, Measured())[PRODUCT].metrics
    assert [alone[name] for name in ratios] == [None] * 4
    assert alone["turn_ms_p50"] == 40.0
