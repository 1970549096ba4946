"""Keeps every projection in line with the ledger, in the background and in batches.

Each one has a backlog of its own, so that none waits for another. What a store's outage breaks
stays in the backlog and comes again; what fails for good is set aside by itself. Any number of
processes may do this at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

from memory.domain.chats import Message
from memory.domain.projections import MADE_IN_PLACE, Generation, Owed, ProjectionName
from memory.errors import Transient, reason_of
from memory.ports.bundle import Memory
from memory.ports.projections import Projection

log = logging.getLogger(__name__)

_Key = tuple[ProjectionName, int]


@dataclass(frozen=True, slots=True)
class Pace:
    """How much at once, how often. Times in seconds.

    What is stored within `gather_s` is taken in together: a batch costs little more than an item.
    After an outage the next attempt comes after `retry_s`, then twice that, up to `retry_cap_s`.
    Others are waited for until nothing of theirs was done for `others_s`.
    """

    batch: int = 256
    poll_s: float = 1.0
    follow_s: float = 3.0
    gather_s: float = 0.2
    retry_s: float = 0.5
    retry_cap_s: float = 30.0
    look_s: float = 0.02
    others_s: float = 30.0


class Projector:
    """Works off the backlogs of some tenants until it is cancelled."""

    def __init__(
        self,
        memory: Memory,
        projections: Sequence[Projection],
        tenants: Sequence[str],
        pace: Pace | None = None,
        *,
        builds: bool = False,
    ) -> None:
        """Take what to keep in line; `builds`: works on what is to replace it, too."""
        self._memory = memory
        self._projections = {each.name: each for each in projections}
        self._tenants = list(tenants)
        self._pace = pace or Pace()
        self._builds = builds
        self._owner = f"projector:{uuid4()}"
        self._due = asyncio.Event()
        self._running: dict[_Key, asyncio.Task[None]] = {}
        self._rests: dict[_Key, float] = {}
        self._failures: dict[_Key, Exception] = {}
        self._generations: tuple[Generation, ...] = ()

    @property
    def projections(self) -> Sequence[Projection]:
        """What it keeps in line."""
        return tuple(self._projections.values())

    def wake(self) -> None:
        """Look into the backlogs now: something was stored."""
        self._due.set()

    async def run(self) -> None:
        """Work until it is cancelled; outlives every failure."""
        try:
            while True:
                try:
                    async with self._memory.locks.hold(self._owner):
                        await self._watch()
                # The outer loop: whatever is wrong with the stores, the projector goes on.
                except Exception as error:  # noqa: BLE001
                    log.warning("projections cannot be looked after: %s", reason_of(error))
                    await asyncio.sleep(self._pace.poll_s)
        finally:
            tasks = list(self._running.values())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def follow(self) -> None:
        """Only notice which generations serve, until it is cancelled: others do the work."""
        while True:
            await asyncio.sleep(self._pace.follow_s)
            try:
                await self._learn_generations()
            # The outer loop: whatever is wrong with the ledger, the next round asks again.
            except Exception as error:  # noqa: BLE001
                log.warning("which projections serve cannot be seen: %s", reason_of(error))

    async def caught_up(self, *projections: ProjectionName) -> bool:
        """Bring these projections, or all, in line with everything that is in the ledger now.

        What another embedder serves is for the processes that have it. False where these leave it.

        Raises:
            Transient: a store that one of them needs cannot be had.
        """
        backlog, names = self._memory.backlog, projections or tuple(self._projections)
        last: dict[ProjectionName, int] = {}
        moved_at = time.monotonic()
        while True:
            await self._learn_generations()
            for key in self._keys():
                while key[0] in names and (
                    taken := await backlog.take(
                        *key, self._tenants, self._owner, self._pace.batch, early=True
                    )
                ):
                    await self._batch(key, taken)
            arrears = await backlog.arrears(self._tenants)
            left = {name: arrears[name].waiting for name in names if arrears[name].waiting}
            if not left:
                return True
            # The rest is in others' hands.
            if left != last or left.keys() & self._ours():
                last, moved_at = left, time.monotonic()
            elif time.monotonic() - moved_at >= self._pace.others_s:
                log.warning("%s wait for a process with their embedder", " and ".join(sorted(left)))
                return False
            await asyncio.sleep(self._pace.look_s)

    async def take_in(self, name: ProjectionName, tenant: str, items: Sequence[str]) -> int:
        """Take items in at once that are owed and in nobody's hands; return what came of it.

        Raises:
            Transient: a store cannot be had; they stay owed.
        """
        if not self._generations:
            await self._learn_generations()
        made = 0
        for key in self._keys():
            if items and key[0] == name:
                owed = await self._memory.backlog.take_these(*key, tenant, self._owner, items)
                made += await self._batch(key, owed) if owed else 0
        return made

    async def take_in_said(
        self, name: ProjectionName, tenant: str, messages: Sequence[Message]
    ) -> int:
        """Take messages in that the caller has just read or recorded; return what came of it.

        What was edited meanwhile stays owed. From then on the tenant's backlog is worked off, too:
        callers of the graph may name any.

        Raises:
            Transient: a store cannot be had; they stay owed.
        """
        if tenant not in self._tenants:
            self._tenants.append(tenant)
        if not self._generations:
            await self._learn_generations()
        uids, made = [message.uid for message in messages], 0
        for key in self._keys():
            if key[0] != name or not messages:
                continue
            try:
                made += await self._projections[name].project_said(tenant, messages, key[1])
            except Transient:
                raise
            # One of them fails for good: it is set aside, and the others are taken in.
            except Exception as error:  # noqa: BLE001
                log.warning(
                    "%s could not take in %d messages: %s", name, len(uids), reason_of(error)
                )
                return await self.take_in(name, tenant, uids)
            await self._memory.backlog.strike_out_said(name, tenant, uids)
        return made

    def falls_behind(self, name: ProjectionName) -> bool:
        """Tell whether a store that the projection needs could not be had when last asked."""
        return any(failing == name for failing, _ in self._failures)

    async def _learn_generations(self) -> None:
        self._generations = tuple(await self._memory.backlog.generations())
        for each in self._generations:
            if each.is_serving and self._is_ours(each):
                self._projections[each.projection].serve(each.number)

    def _keys(self) -> list[_Key]:
        """Return the makings to work on."""
        return [
            (each.projection, each.number)
            for each in self._generations
            if (each.is_serving or self._builds) and self._is_ours(each)
        ]

    def _ours(self) -> set[ProjectionName]:
        """Return the projections whose making that serves we can add to."""
        return {
            each.projection for each in self._generations if each.is_serving and self._is_ours(each)
        }

    def _is_ours(self, generation: Generation) -> bool:
        """Tell whether we can add to a making.

        What another embedder made says nothing to ours; facts that were read by other rules do.
        """
        ours = self._projections.get(generation.projection)
        return ours is not None and (
            generation.fingerprint == ours.fingerprint or generation.projection in MADE_IN_PLACE
        )

    async def _watch(self) -> None:
        checked_at = -self._pace.poll_s
        while True:
            if time.monotonic() - checked_at >= self._pace.poll_s:
                await self._memory.backlog.take_over()
                await self._learn_generations()
                checked_at = time.monotonic()
            await self._look()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._pace.poll_s):
                    await self._due.wait()
                await asyncio.sleep(self._pace.gather_s)
            self._due.clear()

    async def _look(self) -> None:
        """Begin to work on each projection that has something due and is not worked on."""
        due = await self._memory.backlog.due(self._tenants)
        for key in due:
            if key not in self._running and key in self._keys():
                self._running[key] = asyncio.create_task(self._work(key))
        # Where others have done it all, nothing shows that a store is missing still.
        for key in self._failures.keys() - set(due) - self._running.keys():
            self._recovered(key)

    async def _work(self, key: _Key) -> None:
        try:
            while taken := await self._memory.backlog.take(
                *key, self._tenants, self._owner, self._pace.batch
            ):
                await self._batch(key, taken)
                self._recovered(key)
        # The outer loop of one projection: whatever is wrong with its stores, it goes on.
        except Exception as error:  # noqa: BLE001
            if key not in self._failures:
                log.warning("%s falls behind: %s", key[0], reason_of(error))
            self._failures[key] = error
            rest = self._rests.get(key, self._pace.retry_s)
            self._rests[key] = min(2 * rest, self._pace.retry_cap_s)
            await asyncio.sleep(rest)
        finally:
            del self._running[key]
            self.wake()

    def _recovered(self, key: _Key) -> None:
        if self._failures.pop(key, None):
            log.warning("%s catches up again", key[0])
        self._rests.pop(key, None)

    async def _batch(self, key: _Key, taken: Sequence[Owed]) -> int:
        """Take a batch in and strike it out; what cannot be done now is given back."""
        backlog = self._memory.backlog
        by_tenant: defaultdict[str, list[Owed]] = defaultdict(list)
        for owed in taken:
            by_tenant[owed.tenant].append(owed)
        try:
            made = 0
            for tenant, owed_there in by_tenant.items():
                made += await self._project(key, tenant, owed_there)
        except (Transient, asyncio.CancelledError):
            with contextlib.suppress(Transient):
                await asyncio.shield(backlog.give_back(*key, taken))
            raise
        return made

    async def _project(self, key: _Key, tenant: str, taken: Sequence[Owed]) -> int:
        """Project items, by halves where they fail for good, so that the rest goes on."""
        name, generation = key
        try:
            made = await self._projections[name].project(
                tenant, [owed.item for owed in taken], generation
            )
        except Transient:
            raise
        # Whatever it is, the same item would fail again the same way.
        except Exception as error:  # noqa: BLE001
            if len(taken) == 1:
                log.warning("%s sets an item aside: %s", name, reason_of(error))
                await self._memory.backlog.set_aside(*key, taken[0], reason_of(error))
                return 0
            half = len(taken) // 2
            return await self._project(key, tenant, taken[:half]) + await self._project(
                key, tenant, taken[half:]
            )
        await self._memory.backlog.done(*key, taken)
        return made
