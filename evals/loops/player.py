"""Plays orders of one case in a world: deliveries, pauses, kills, and the wait for quiet."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from evals.errors import NotTaken, WorldDied
from evals.loops.aliases import Alias, Renamer
from evals.loops.cases import LoopCase, Step
from evals.loops.gateways import Gateways, Line
from evals.loops.ledger import LedgerView
from evals.loops.orders import Order
from evals.loops.placeholders import highest, resolve
from evals.loops.posting import Keys, Webhooks
from evals.loops.process import WorldProcess
from evals.loops.rest import come_to_rest
from evals.loops.scoring import Observed, Score, score

REAL_WAIT_S = 20.0
"""So much of a pause the server runs through; the rest is added to the world's time."""
AT_ONCE = 4
"""Orders whose deliveries are posted at the same time; each order's own follow one another."""
DEFAULT_DEBOUNCE_MS = 800


@dataclass(frozen=True, slots=True)
class Numbered:
    """An order and its number in the run."""

    number: int
    order: Order


@dataclass(frozen=True, slots=True)
class Result:
    """One order's outcome. `posted` counts its deliveries, repetitions and echoes aside."""

    number: int
    order: Order
    score: Score
    posted: int


@dataclass(slots=True)
class Playing:
    """One order while it is played."""

    numbered: Numbered
    alias: Alias
    line: Line
    posted: int = 0
    not_sent: list[str] = field(default_factory=list)


class Player:
    """Plays orders of one case at once, in one world. Steps that are no delivery are common."""

    def __init__(self, case: LoopCase, gateways: Gateways, keys: Keys) -> None:
        self._case = case
        self._gateways = gateways
        self._keys = keys
        self._calls: list[str] = []
        self._restarts = 0
        self._echo_not_taken: NotTaken | None = None

    def heard_call(self, thread_id: str) -> None:
        """Take note of a generated answer."""
        self._calls.append(thread_id)

    async def play(
        self,
        world: WorldProcess,
        playing: Sequence[Playing],
        ledger: LedgerView,
        done: Callable[[], None],
    ) -> list[Result]:
        """Play the orders to their end and score them.

        Raises:
            WorldDied: the server ended by itself, or does not serve the channel.
            NotTaken: it does not take a webhook, however often it comes.
            NeverAtRest: it goes on and on, or hangs.
        """
        self._world, self._ledger = world, ledger
        self._webhooks = Webhooks(world, self._case.channel, self._keys)
        for one in playing:
            one.line.now = world.now
            self._gateways.add(one.line)
        try:
            self._world.set_clock(first_time(self._case))
            await self._world.start()
            await self._steps(playing)
            await self._rest(playing)
            return await self._scored(playing, done)
        finally:
            for one in playing:
                self._gateways.remove(one.line)

    def prepared(self, orders: Sequence[Numbered], renamer: Renamer) -> list[Playing]:
        """Give each order its names and its line at the gateways."""
        engine = _engine(self._case)
        playing = []
        for slot, numbered in enumerate(orders):
            alias = renamer.alias(numbered.number, slot)
            line = Line(
                accounts=dict(zip(alias.accounts, alias.mine, strict=True)),
                echo=self._case.echo if self._case.channel == "waha" else "none",
                engine=engine,
                now=time.time,
                post=self._echo,
            )
            playing.append(Playing(numbered, alias, line))
        return playing

    async def _steps(self, playing: Sequence[Playing]) -> None:
        position = 0
        steps = list(self._case.steps)
        while steps:
            run = 0
            while run < len(steps) and steps[run].is_delivery:
                run += 1
            if run:
                await self._deliver_runs(playing, position, run)
                position += run
                del steps[:run]
                continue
            await self._common(steps.pop(0), playing)

    async def _common(self, step: Step, playing: Sequence[Playing]) -> None:
        for one in playing:
            one.line.failing += step.fail_send or 0
            one.line.stalling += step.timeout_send or 0
        if step.restart:
            await self._world.kill()
            self._restarts += 1
            await self._world.start()
        if step.wait_ms:
            await self._pause(step.wait_ms, playing)

    async def _pause(self, wait_ms: int, playing: Sequence[Playing]) -> None:
        seconds = wait_ms / 1000
        await self._world.pass_time(min(seconds, REAL_WAIT_S))
        self._world.advance(max(seconds - REAL_WAIT_S, 0.0))
        debounce_ms = self._case.settings.debounce_ms
        has_time = wait_ms > (DEFAULT_DEBOUNCE_MS if debounce_ms is None else debounce_ms)
        # Whoever wrote a pause of this length means that what came before it is done. A crowd of
        # orders is this player's doing, and needs longer.
        if has_time or len(playing) > 1:
            await self._rest(playing)

    async def _deliver_runs(self, playing: Sequence[Playing], position: int, run: int) -> None:
        turnstile = asyncio.Semaphore(AT_ONCE)

        async def one_by_one(one: Playing) -> None:
            async with turnstile:
                for place in range(position, position + run):
                    await self._deliver(one, one.numbered.order[place])

        async with asyncio.TaskGroup() as group:
            for one in playing:
                group.create_task(one_by_one(one))

    async def _deliver(self, one: Playing, index: int) -> None:
        delivery = one.alias.deliveries[index]
        body = delivery.body
        needed = highest(body)
        if needed:
            await self._rest([one], lambda: len(one.line.sent) >= needed)
        if needed > len(one.line.sent):
            one.not_sent.append(f"delivery {index + 1} needs send {needed}, which never came")
            return
        if needed or self._case.channel == "waha":
            event = json.loads(body)
            event = resolve(event, one.line.sent, numbers=self._case.channel == "telegram")
            if isinstance(event, dict) and isinstance(event.get("payload"), dict):
                one.line.received.append(event["payload"])
            body = json.dumps(event, ensure_ascii=False)
        one.posted += 1
        await self._webhooks.post(delivery.account, body.encode())

    async def _echo(self, account: str, event: dict[str, Any]) -> None:
        try:
            await self._webhooks.post(account, json.dumps(event, ensure_ascii=False).encode())
        except WorldDied:
            return  # the player finds out by itself
        except NotTaken as error:
            self._echo_not_taken = error

    async def _rest(
        self, playing: Sequence[Playing], until: Callable[[], bool] = lambda: False
    ) -> None:
        await come_to_rest([one.line for one in playing], self._ledger, self._check, until)

    def _check(self) -> None:
        self._world.check()
        if self._echo_not_taken is not None:
            raise self._echo_not_taken

    async def _scored(self, playing: Sequence[Playing], done: Callable[[], None]) -> list[Result]:
        self._world.hear()
        rows, replies = await self._ledger.rows(), await self._ledger.replies()
        account_of = await self._ledger.threads()
        called = [account_of.get(thread, "") for thread in self._calls]
        results = []
        for one in playing:
            mine = set(one.alias.accounts)
            told = score(
                one.alias.expect,
                Observed(
                    rows=[row for row in rows if row.account in mine],
                    replies=[reply for reply in replies if reply.account in mine],
                    sent=one.line.sent,
                    calls=sum(account in mine for account in called),
                    restarts=self._restarts,
                ),
            )
            told.what += one.not_sent
            results.append(Result(one.numbered.number, one.numbered.order, told, one.posted))
            done()
        self._blame_strangers(results, called.count(""))
        return results

    def _blame_strangers(self, results: list[Result], strangers: int) -> None:
        """Count answers generated for a chat that the ledger does not have, on the first order."""
        if strangers and results:
            results[0].score.loops += strangers
            results[0].score.what.append(f"{strangers} answers generated outside any known chat")


def first_time(case: LoopCase) -> float:
    """Return the time of the first delivery that says one, in seconds; 0 without any."""
    for step in case.deliveries:
        event = step.deliver
        if not isinstance(event, dict):
            continue
        if isinstance(event.get("timestamp"), int | float):
            return float(event["timestamp"]) / 1000
        dates = [
            part["date"]
            for part in event.values()
            if isinstance(part, dict) and isinstance(part.get("date"), int)
        ]
        if dates:
            return float(dates[0])
    return time.time()


def _engine(case: LoopCase) -> str:
    """Return which engine the case's envelopes name."""
    names = (s.deliver.get("engine") for s in case.deliveries if isinstance(s.deliver, dict))
    return next((name for name in names if isinstance(name, str)), "GOWS")
