"""Plays orders of one case in a world: deliveries, pauses, kills, and the wait for quiet."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from evals.errors import WorldDied
from evals.loops import waha_wire
from evals.loops.aliases import Alias, Renamer
from evals.loops.cases import LoopCase, Step
from evals.loops.gateways import Gateways, Line
from evals.loops.ledger import LedgerView
from evals.loops.orders import Order
from evals.loops.placeholders import highest, resolve
from evals.loops.process import WorldProcess
from evals.loops.scoring import Observed, Score, score

REAL_WAIT_S = 20.0
"""A pause is waited for in real time up to here; the rest is added to the world's clock."""
AT_ONCE = 8
"""Orders whose deliveries are posted at the same time; each order's own follow one another."""
REDELIVER_S = 30.0
"""How long a webhook is repeated that nobody takes, as the gateways do."""
REPEAT_AFTER_S = 0.1
SENT_WITHIN_S = 15.0
"""How long a delivery waits for the send that one of its placeholders names."""
QUIET_S = 0.3
STUCK_S = 12.0
"""Messages that are still pending after so long without anything else going on stay so."""
SETTLE_S = 45.0
SETTLE_ORDER_S = 1.0
"""What each order of a crowd adds to the longest wait of all: a loop never comes to rest."""
_POLL_S = 0.15
_ALSO_UNSERVED = (404, 405)


@dataclass(frozen=True, slots=True)
class Keys:
    """What the product and the gateways share in one run."""

    hmac: str
    api: str
    telegram: str


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
        self._account_of: dict[str, str] = {}
        self._restarts = 0

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
        """
        self._world = world
        for one in playing:
            one.line.now = world.now
            self._gateways.add(one.line)
        try:
            self._world.set_clock(first_time(self._case))
            await self._world.start()
            await self._steps(playing, ledger)
            await self._settled(playing, ledger)
            self._world.check()
            return await self._scored(playing, ledger, done)
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

    async def _steps(self, playing: Sequence[Playing], ledger: LedgerView) -> None:
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
            await self._common(steps.pop(0), playing, ledger)

    async def _common(self, step: Step, playing: Sequence[Playing], ledger: LedgerView) -> None:
        for one in playing:
            one.line.failing += step.fail_send or 0
            one.line.stalling += step.timeout_send or 0
        if step.restart:
            await self._world.kill()
            self._restarts += 1
            await self._world.start()
        if step.wait_ms:
            seconds = step.wait_ms / 1000
            await asyncio.sleep(min(seconds, REAL_WAIT_S))
            self._world.advance(max(seconds - REAL_WAIT_S, 0.0))
            # A crowd of orders is this player's doing; a pause means that the product had time.
            if len(playing) > 1:
                await self._settled(playing, ledger)
            # A chat that moves later on has another thread then.
            self._account_of |= await ledger.threads()

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
        if needed and not await one.line.has_sent(needed, SENT_WITHIN_S):
            one.not_sent.append(f"delivery {index + 1} needs send {needed}, which never came")
            return
        if needed or self._case.channel == "waha":
            event = json.loads(body)
            event = resolve(event, one.line.sent, numbers=self._case.channel == "telegram")
            if isinstance(event, dict) and isinstance(event.get("payload"), dict):
                one.line.received.append(event["payload"])
            body = json.dumps(event, ensure_ascii=False)
        one.posted += 1
        await self._post(delivery.account, body.encode())

    async def _echo(self, account: str, event: dict[str, Any]) -> None:
        try:
            await self._post(account, json.dumps(event, ensure_ascii=False).encode())
        except WorldDied:
            return  # the player finds out by itself

    async def _post(self, account: str, body: bytes) -> None:
        """Post a webhook until it is answered by less than 500, as the gateways do."""
        channel = self._case.channel
        deadline = time.monotonic() + REDELIVER_S
        while time.monotonic() < deadline:
            try:
                status = await self._world.poster.post(
                    f"/webhooks/{channel}/{account}", body, self._headers(body)
                )
            except OSError:
                self._world.check()
            else:
                if status in _ALSO_UNSERVED:
                    raise WorldDied(f"the server takes no webhooks of {channel} ({status})")
                if status < 500:
                    return
            await asyncio.sleep(REPEAT_AFTER_S)

    def _headers(self, body: bytes) -> dict[str, str]:
        if self._case.channel == "waha":
            return waha_wire.signed(body, self._keys.hmac, int(self._world.now() * 1000))
        return {
            "Content-Type": "application/json",
            "X-Telegram-Bot-Api-Secret-Token": self._keys.telegram,
        }

    async def _settled(self, playing: Sequence[Playing], ledger: LedgerView) -> None:
        """Wait until nothing is going on any more, or nothing has changed for `SETTLE_S`."""
        ends_at = time.monotonic() + SETTLE_S + SETTLE_ORDER_S * len(playing)
        quiet_since: float | None = None
        changed_at, before = time.monotonic(), (-1, -1, -1)
        while True:
            self._world.check()
            echoing = sum(len(one.line.echoing) for one in playing)
            busy, pending = await ledger.busy() + echoing, await ledger.pending()
            state = (busy, pending, sum(len(one.line.sent) for one in playing))
            now = time.monotonic()
            if state != before:
                changed_at, before = now, state
            if busy or (pending and now - changed_at < STUCK_S):
                quiet_since = None
            else:
                quiet_since = quiet_since or now
                if now - quiet_since >= QUIET_S:
                    return
            if now - changed_at >= SETTLE_S or now >= ends_at:
                return
            await asyncio.sleep(_POLL_S)

    async def _scored(
        self, playing: Sequence[Playing], ledger: LedgerView, done: Callable[[], None]
    ) -> list[Result]:
        rows, replies = await ledger.rows(), await ledger.replies()
        self._account_of |= await ledger.threads()
        called = [self._account_of.get(thread, "") for thread in self._calls]
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
