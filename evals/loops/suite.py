"""The `loops` suite: every case, many orders of its deliveries, on the real server."""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from evals.loops.aliases import Alias, Renamer
from evals.loops.cases import LoopCase
from evals.loops.databases import Databases, open_databases
from evals.loops.gateways import Gateways
from evals.loops.ledger import LedgerView
from evals.loops.orders import DEFAULT_ORDERS, distinct_orders, draw, keys_of, share
from evals.loops.player import Numbered, Player, Result
from evals.loops.posting import Keys
from evals.loops.process import Nursery, WorldProcess, free_port
from evals.loops.scoring import COUNTS, Score
from evals.loops.settings import settings_of_world
from evals.loops.world import WorldSpec
from evals.suite.case_files import cases_of
from evals.suite.own_cases import own_cases
from evals.suite.requirements import PRODUCT
from evals.suite.run import Failure, Figures, Outcome, Request, SystemResult
from graph.settings import Settings

SYSTEMS = (PRODUCT,)
DEFAULT_CASES = own_cases("loops")
ORDERS_A_WORLD = 256
WORLDS_AT_ONCE = 3
WAITING_WORLDS_AT_ONCE = 8
"""Worlds with one order mostly wait; with many they work."""
SHOWN_VIOLATIONS = 3
KEPT_VIOLATIONS = 50
"""Of each case, on stderr and in the JSON."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Orders of one case that are played together in one world."""

    case: LoopCase
    orders: tuple[Numbered, ...]

    @property
    def name(self) -> str:
        """Name of its world: unique in a run."""
        return f"world {self.orders[0].number}"


@dataclass(slots=True)
class _Tally:
    score: Score = field(default_factory=Score)
    deliveries: int = 0
    orders: int = 0

    def add(self, result: Result) -> None:
        self.score.add(result.score)
        self.deliveries += result.posted
        self.orders += 1

    def figures(self) -> Figures:
        counts: Figures = {name: getattr(self.score, name) for name in COUNTS}
        return counts | {"deliveries": self.deliveries, "orders": self.orders}


async def run_loops(request: Request, outcome: Outcome, tamper: str = "") -> None:
    """Play all cases. A case whose server dies is listed, the others go on.

    `tamper` is `WorldSpec.tamper`.

    Raises:
        RecollectError: the stores cannot be opened.
    """
    cases = cases_of(request.files, LoopCase)
    batches = plan(cases, request.orders or DEFAULT_ORDERS, request.seed)
    request.progress.expect(sum(len(batch.orders) for batch in batches))
    outcome.model = "scripted"
    results: dict[str, list[Result]] = {case.case_id: [] for case in cases}
    try:
        async with open_databases(request.settings) as databases:
            outcome.embedder = databases.embedder
            run = _Run(request, outcome, databases, results, tamper)
            await run.play(batches)
    finally:
        outcome.systems[PRODUCT] = summed_up(cases, results)


def plan(cases: Sequence[LoopCase], orders: int, seed: int) -> list[Batch]:
    """Draw the orders and cut them into batches; those of one order come first.

    Cases that are not shuffled are played once, in addition to `orders`.
    """
    shuffled = [case for case in cases if case.shuffle == "any"]
    capacities = [distinct_orders(keys_of(case)) for case in shuffled]
    # What is answered costs more than what is only taken in.
    sizes = [len(case.deliveries) + 2 * len(case.expect.answered) for case in shuffled]
    counts = share(capacities, sizes, orders)
    count_of = {case.case_id: n for case, n in zip(shuffled, counts, strict=True)}
    number = 0
    batches = []
    for case in cases:
        drawn = draw(case, count_of.get(case.case_id, 1), seed)
        numbered = [Numbered(number + i, order) for i, order in enumerate(drawn)]
        number += len(drawn)
        batches += [
            Batch(case, tuple(numbered[start : start + ORDERS_A_WORLD]))
            for start in range(0, len(numbered), ORDERS_A_WORLD)
        ]
    return sorted(batches, key=lambda batch: len(batch.orders) > 1)


class _Run:
    def __init__(
        self,
        request: Request,
        outcome: Outcome,
        databases: Databases,
        results: dict[str, list[Result]],
        tamper: str,
    ) -> None:
        self._request = request
        self._outcome = outcome
        self._databases = databases
        self._results = results
        self._tamper = tamper
        self._nursery = Nursery.open()
        self._keys = Keys(secrets.token_hex(16), secrets.token_hex(16), secrets.token_hex(16))
        self._gateways = Gateways()
        self._failed: set[str] = set()

    async def play(self, batches: Sequence[Batch]) -> None:
        """Play every batch; those that mostly wait go on beside those that work."""
        await self._gateways.start()
        try:
            single = [batch for batch in batches if len(batch.orders) == 1]
            crowds = [batch for batch in batches if len(batch.orders) > 1]
            async with asyncio.TaskGroup() as group:
                group.create_task(self._side_by_side(single, WAITING_WORLDS_AT_ONCE))
                group.create_task(self._side_by_side(crowds, WORLDS_AT_ONCE))
        finally:
            await self._gateways.stop()

    async def _side_by_side(self, batches: Iterable[Batch], at_once: int) -> None:
        queue = iter(batches)

        async def one_after_the_other() -> None:
            for batch in queue:
                if batch.case.case_id not in self._failed:
                    await self._guarded(batch)

        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(one_after_the_other())

    async def _guarded(self, batch: Batch) -> None:
        case_id = batch.case.case_id
        try:
            results = await self._play(batch)
        # The outer loop of one case: what fails is listed with its reason, never scored as zero.
        except Exception as error:  # noqa: BLE001
            while isinstance(error, ExceptionGroup):
                error = error.exceptions[0]
            reason = f"{type(error).__name__}: {str(error) or 'no reason given'}".splitlines()[0]
            if case_id not in self._failed:
                self._outcome.failed.append(Failure(case_id, PRODUCT, reason))
            self._failed.add(case_id)
            return
        self._results[case_id] += results
        self._show(case_id, results)

    async def _play(self, batch: Batch) -> list[Result]:
        doing = f"loops: {batch.case.case_id}"
        renamer = Renamer(batch.case)
        own = await self._databases.create()
        try:
            player = Player(batch.case, self._gateways, self._keys)
            playing = player.prepared(batch.orders, renamer)
            settings = self._settings(own, batch.case, [one.alias for one in playing])
            log = self._databases.folder / f"{batch.name.replace(' ', '-')}.log"
            spec = WorldSpec(batch.name, settings, free_port(), log, self._tamper)
            world = WorldProcess(self._nursery, spec, player.heard_call)
            url = settings.database_url.get_secret_value() if settings.database_url else ""
            try:
                async with LedgerView(url, settings.tenant) as ledger:
                    return await player.play(
                        world, playing, ledger, lambda: self._request.progress.step(doing)
                    )
            finally:
                await world.kill()
        finally:
            await self._databases.remove(own)

    def _settings(self, own: Settings, case: LoopCase, aliases: Sequence[Alias]) -> Settings:
        """Return the settings of a world: the case's, for the names of all its orders."""
        given = case.settings.model_dump(exclude_none=True)
        lists = {
            setting: frozenset(one for alias in aliases for one in alias.lists[name])
            for setting, name in (
                ("owner_ids", "owner"),
                ("known_bots", "known_bots"),
                ("blocked", "blocked"),
            )
        }
        plain = ("reply_direct", "reply_group", "debounce_ms", "takeover_s")
        asked = {name: given[name] for name in plain if name in given} | lists
        accounts = [account for alias in aliases for account in alias.accounts]
        bots = accounts if case.channel == "telegram" else []
        return settings_of_world(own, asked, self._keys, self._gateways.url, bots)

    def _show(self, case_id: str, results: Sequence[Result]) -> None:
        bad = [result for result in results if not result.score.is_clean]
        shown_before = sum(
            not result.score.is_clean for result in self._results[case_id][: -len(results) or None]
        )
        for result in bad[: max(SHOWN_VIOLATIONS - shown_before, 0)]:
            what = "; ".join(result.score.what)
            print(f"violation: {case_id}, order {list(result.order)}: {what}", file=sys.stderr)  # noqa: T201


def summed_up(cases: Sequence[LoopCase], results: dict[str, list[Result]]) -> SystemResult:
    """Return the figures of what was played, over all, by channel, by tag and by case."""
    total = _Tally()
    groups: dict[str, dict[str, _Tally]] = {
        group: defaultdict(_Tally) for group in ("channel", "tag", "case")
    }
    violations: list[dict[str, Any]] = []
    for case in cases:
        mine = [groups["channel"][case.channel], groups["case"][case.case_id]]
        mine += [groups["tag"][tag] for tag in dict.fromkeys(case.tags)]
        played = sorted(results[case.case_id], key=lambda result: result.number)
        for result in played:
            for tally in (total, *mine):
                tally.add(result)
        violations += [
            {"case": case.case_id, "order": list(result.order), "what": result.score.what}
            for result in played
            if not result.score.is_clean
        ][:KEPT_VIOLATIONS]
    by = {
        group: {name: tally.figures() for name, tally in sorted(tallies.items()) if tally.orders}
        for group, tallies in groups.items()
    }
    return SystemResult(total.figures(), by, details={"violations": violations})
