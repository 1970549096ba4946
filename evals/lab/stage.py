"""The lab's server: started when somebody first plays, on stores of its own, and thrown away.

It is a world of `recollect eval loops`: the product's own app in a process of its own, behind
gateways that are simulated. Its settings are the product's defaults and its stores lie in a
temporary folder, whatever the user's settings name: nothing that is said here enters anybody's
memory.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from evals.errors import CutOff, NothingSaid
from evals.lab.cast import CHANNELS, MOST_CHATS, Cast, Channel, Cue, Place, casts
from evals.lab.chat import Bench, Invariant, LabChat, Row
from evals.loops.databases import open_databases
from evals.loops.gateways import Gateways
from evals.loops.ledger import LedgerView
from evals.loops.posting import Keys
from evals.loops.process import Nursery, WorldProcess, free_port
from evals.loops.settings import settings_of_world
from evals.loops.world import WorldSpec
from graph.checkpointer import RecollectSaver
from graph.settings import Settings
from memory.errors import RecollectError
from memory.postgres.pool import open_pool

OPEN_S = 120.0
"""For the first start, which brings up a database and imports the server."""
CUE_S = 30.0
"""For one cue; on a quiet machine it takes about a second."""
IDLE_S = 600.0
"""A server that nobody plays on for so long is stopped."""
DEBOUNCE_MS = 200
"""The product waits 800 ms for further words; here every line stands for itself."""


@dataclass(frozen=True, slots=True)
class Played:
    """A cue after it was played: its rows, and what may never happen, counted so far."""

    rows: tuple[Row, ...]
    invariant: Invariant


@dataclass(slots=True)
class _Kept:
    """A server that is up, and the chats on it by number."""

    bench: Bench
    calls: list[str]
    chats: dict[int, LabChat] = field(default_factory=dict)


class Stage:
    """Keeps the server while chats are played on it; one cue at a time.

    `tamper` names a function that is called in the server's process first: a test breaks the
    product with it.
    """

    def __init__(self, tamper: str = "", *, cue_s: float = CUE_S, idle_s: float = IDLE_S) -> None:
        # The product's defaults, without a look at anybody's environment: no model, no servers.
        self._settings = Settings.model_construct()
        self._tamper = tamper
        self.cue_s = cue_s
        self._idle_s = idle_s
        self._turn = asyncio.Lock()
        self._used = asyncio.Event()
        self._keeping: asyncio.Task[None] | None = None
        self._kept: _Kept | None = None

    @property
    def is_open(self) -> bool:
        """Whether its server is up, so that playing begins at once."""
        return self._kept is not None

    async def begin(self, channel: Channel, place: Place) -> LabChat:
        """Return a new chat, with people whom no other chat knows.

        Raises:
            CutOff: the server did not come up in time.
            RecollectError: its stores cannot be opened.
        """
        async with self._turn:
            kept = await self._open()
            self._used.set()
            if len(kept.chats) == MOST_CHATS:
                await self._close()
                kept = await self._open()
            cast = Cast(channel, len(kept.chats) + 1)
            chat = LabChat(cast, place, kept.bench, kept.calls)
            kept.chats[cast.number] = chat
            return chat

    async def play(self, chat: LabChat, cue: Cue) -> Played:
        """Play a cue in a chat.

        Raises:
            CutOff: it took too long, or the chat's server is gone; the sentence says which.
            RecollectError: it cannot be played; the chat goes on.
        """
        async with self._turn:
            kept = self._kept
            if kept is None or chat not in kept.chats.values():
                raise CutOff("This chat is over: its server was stopped. Start a new one.")
            self._used.set()
            try:
                async with asyncio.timeout(self.cue_s):
                    rows = await chat.play(cue)
                    invariant = await chat.invariant()
            except TimeoutError:
                await self._close()
                raise CutOff(
                    f"Cut off after {self.cue_s:.0f} s: the server did not come to rest. The next"
                    " line starts a new one."
                ) from None
            except NothingSaid:
                raise
            except RecollectError:
                # Its server is of no use any more: the next chat has another.
                await self._close()
                raise
            return Played(tuple(rows), invariant)

    async def close(self) -> None:
        """Stop the server and throw its stores away."""
        async with self._turn:
            await self._close()

    async def _open(self) -> _Kept:
        if self._kept is not None:
            return self._kept
        ready: asyncio.Future[_Kept] = asyncio.get_running_loop().create_future()
        # A task of its own: what is opened is closed where it was opened, when the program ends,
        # too, which cancels it.
        self._keeping = asyncio.create_task(self._keep(ready))
        try:
            async with asyncio.timeout(OPEN_S):
                self._kept = await asyncio.shield(ready)
        except TimeoutError:
            await self._close()
            raise CutOff(
                f"Cut off after {OPEN_S:.0f} s: the lab's own server did not start. Try again."
            ) from None
        return self._kept

    async def _close(self) -> None:
        keeping, self._keeping, self._kept = self._keeping, None, None
        if keeping is not None:
            keeping.cancel()
            await asyncio.wait([keeping])

    async def _keep(self, ready: asyncio.Future[_Kept]) -> None:
        """Hold the server until nobody has played for a while, or it is cancelled."""
        try:
            async with self._opened() as kept:
                ready.set_result(kept)
                await self._idle()
                self._kept = None
        # The outer loop of one server: whoever waits for it is told.
        except Exception as error:
            if ready.done():
                raise
            ready.set_exception(error)

    async def _idle(self) -> None:
        """Return when nobody has played for so long."""
        while True:
            self._used.clear()
            try:
                async with asyncio.timeout(self._idle_s):
                    await self._used.wait()
            except TimeoutError:
                return

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[_Kept]:
        nursery, gateways, calls = Nursery.open(), Gateways(), list[str]()
        await asyncio.to_thread(nursery.warm)
        async with AsyncExitStack() as stack:
            databases = await stack.enter_async_context(open_databases(self._settings))
            await gateways.start()
            stack.push_async_callback(gateways.stop)
            own = await databases.create()
            keys = Keys(*(secrets.token_hex(16) for _ in range(3)))
            settings = _settings(own, keys, gateways.url)
            log = databases.folder / "log"
            spec = WorldSpec("the lab", settings, free_port(), log, self._tamper)
            world = WorldProcess(nursery, spec, calls.append)
            stack.push_async_callback(world.kill)
            url = own.database_url.get_secret_value() if own.database_url else ""
            ledger = await stack.enter_async_context(LedgerView(url, own.tenant))
            pool = await stack.enter_async_context(open_pool(url))
            world.set_clock(time.time())
            await world.start()
            bench = Bench(world, gateways, keys, ledger, RecollectSaver(pool), own.tenant)
            yield _Kept(bench, calls)


def _settings(own: Settings, keys: Keys, gateways_url: str) -> Settings:
    """Return the product's defaults for every chat's people: who is the owner, who a machine."""
    everybody: Sequence[Cast] = [each for channel in CHANNELS for each in casts(channel)]
    telegram = [each for each in everybody if each.channel == "telegram"]
    asked = {
        "debounce_ms": DEBOUNCE_MS,
        "owner_ids": frozenset(each.person("owner").id for each in telegram),
        "known_bots": frozenset(each.person("bot").id for each in everybody),
        "blocked": frozenset[str](),
    }
    bots = [each.account.name for each in telegram]
    return settings_of_world(own, asked, keys, gateways_url, bots)
