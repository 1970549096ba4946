"""The `latency` suite: what a turn and a retrieval cost over the floors below them.

Floors and product take turns within one run, so that all see the same machine. The chat model
answers at once. Figures are milliseconds unless the name says otherwise.
"""

from __future__ import annotations

import random
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

from evals.latency.chatter import MESSAGES, ChatterFailedError, measure_chatter
from evals.latency.crowd import CHATS, measure_crowd
from evals.latency.figures import FLOOR, STORE_FLOOR, Measured, figures
from evals.latency.floor import SixNodes
from evals.latency.growth import SIZES, measure_growth
from evals.latency.peer import Peer, open_peer
from evals.latency.players import Player, Product, TurnFailedError
from evals.latency.retrievals import measure_retrievals
from evals.latency.sentences import sentence
from evals.latency.stock import open_stock
from evals.latency.store_floor import StoreFloor
from evals.latency.turns import Timed, play_turns
from evals.suite.requirements import PRODUCT
from evals.suite.run import Failure, Outcome, Request, select
from evals.suite.scripted import ScriptedChatModel
from evals.suite.workspace import run_folder, workspace
from evals.systems.registry import demand, installed
from graph.agent import Agent
from graph.bootstrap import Overrides, agent_on
from graph.stores import Stores

PEER = "mem0"
SYSTEMS = (PRODUCT, FLOOR, STORE_FLOOR, PEER)
TURNS = 60
HISTORY = 1_000


async def run_latency(request: Request, outcome: Outcome) -> None:
    """Measure ingest, retrieval and turns on stores that hold 1,000 messages of the contact.

    Raises:
        BadInputError: a system that was asked for by name is not installed.
        RecollectError: the stores cannot be opened.
    """
    names = _names(request, outcome)
    turns = request.limit or TURNS
    sizes = request.sizes or SIZES
    is_whole = PRODUCT in names
    chatter = min(MESSAGES, 10 * turns)
    filled = sum(max(each) + len(each) * turns for each in (sizes, request.own) if each)
    grown = HISTORY + turns + chatter + filled if is_whole else 0
    request.progress.expect(len(names) * turns + grown)
    timed, measured = {name: Timed() for name in names}, Measured()
    try:
        async with workspace(request.settings, Overrides(model=ScriptedChatModel())) as stores:
            outcome.embedder = stores.memory.embedder.fingerprint
            agent = agent_on(stores)
            draw = random.Random(request.seed)  # noqa: S311  (texts to measure with, no secrets)
            async with _players(names, agent, outcome) as players:
                await _remember(request, players, timed, measured, draw)
                if is_whole:
                    measured.retrievals = await measure_retrievals(agent, draw, turns)
                    request.progress.step("latency: retrieve", turns)
                await play_turns(players, timed, turns, draw, request.progress)
                await _crowds(players, timed, stores, draw, max(turns // len(CHATS), 1))
            if is_whole:
                measured.chatter = await measure_chatter(request, agent, chatter)
        if is_whole:
            measured.growth = await measure_growth(request, sizes, turns)
        if is_whole and request.own:
            measured.own = await measure_growth(request, request.own, turns, max(request.own))
    except ChatterFailedError as error:
        outcome.failed.append(Failure("chatter", PRODUCT, str(error)))
    finally:
        outcome.systems |= figures(timed, measured)
        outcome.failed += [
            Failure("turn", name, one.failed) for name, one in timed.items() if one.failed
        ]


def _names(request: Request, outcome: Outcome) -> list[str]:
    """Return the systems to run; one that is not installed is skipped, or refused by name."""
    names = select(SYSTEMS, request.systems)
    if PEER in request.systems:
        demand([PEER])
    _, outcome.skipped = installed([name for name in names if name == PEER])
    return [name for name in names if name not in outcome.skipped]


@asynccontextmanager
async def _players(
    names: list[str], agent: Agent, outcome: Outcome
) -> AsyncIterator[dict[str, Player]]:
    """Open who plays; a store floor that cannot be is skipped."""
    stores = agent.stores
    async with AsyncExitStack() as stack:
        players: dict[str, Player] = {PRODUCT: Product(agent)}
        if FLOOR in names or STORE_FLOOR in names:
            stock = await stack.enter_async_context(open_stock(stores))
            players[FLOOR] = SixNodes(stock.saver)
            if stock.store is not None:
                players[STORE_FLOOR] = StoreFloor(stock.saver, stock.store, stores.model)
            elif STORE_FLOOR in names:
                outcome.skipped[STORE_FLOOR] = stock.lacks
        if PEER in names:
            folder = await stack.enter_async_context(run_folder())
            players[PEER] = await stack.enter_async_context(
                open_peer(PEER, stores.settings, folder)
            )
        yield {name: players[name] for name in names if name in players}


async def _remember(
    request: Request,
    players: Mapping[str, Player],
    timed: Mapping[str, Timed],
    measured: Measured,
    draw: random.Random,
) -> None:
    """Have everybody know what was said before; the product's import is timed."""
    request.progress.say(f"latency: {', '.join(players)} take in {HISTORY:,} messages each")
    known = [sentence(draw) for _ in range(HISTORY)]
    for name, player in players.items():
        started = time.perf_counter()
        try:
            await player.remember(known)
        except TurnFailedError as error:
            timed[name].failed = str(error)
        if name == PRODUCT:
            measured.ingest_per_s = HISTORY / (time.perf_counter() - started)
            request.progress.step("latency: ingest", HISTORY)


async def _crowds(
    players: Mapping[str, Player],
    timed: Mapping[str, Timed],
    stores: Stores,
    draw: random.Random,
    rounds: int,
) -> None:
    """Measure several chats at once; a peer's memory is one chat, in a process of its own."""
    folder = stores.settings.data_dir
    for name, player in players.items():
        if isinstance(player, Peer) or timed[name].failed:
            continue
        try:
            timed[name].crowd = await measure_crowd(player, rounds, draw, folder)
        except TurnFailedError as error:
            timed[name].failed = str(error)
