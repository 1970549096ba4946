"""The `latency` suite: what a turn and a retrieval cost over the bare floor below them.

Floor and product take turns within one run, so that both see the same machine. The chat model
answers at once. Figures are milliseconds unless the name says otherwise.
"""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta

from evals.latency.chatter import MESSAGES, Chatter, ChatterFailedError, measure_chatter
from evals.latency.floor import Turn, floor_turn
from evals.latency.growth import FOUND, SIZES, GrowthPoint, measure_growth
from evals.latency.sentences import sentence
from evals.suite.metrics import mean, percentile, thinned
from evals.suite.requirements import PRODUCT
from evals.suite.run import Failure, Figures, Outcome, Request, SystemResult
from evals.suite.scripted import ScriptedChatModel
from evals.suite.workspace import workspace
from graph.agent import Agent, Failed, Finished, NodeDone, Stored
from graph.bootstrap import Overrides, agent_on
from memory.domain.chats import Message
from memory.projection.importing import import_batches
from memory.recall.recall import Scope, recall

SYSTEMS = (PRODUCT,)
TURNS = 60
WARM_UP = 10  # turns that fill the window of 20 messages and every cache; not measured
HISTORY = 1_000
BATCH = 256


@dataclass(slots=True)
class _Samples:
    floor: list[float] = field(default_factory=list)
    turn: list[float] = field(default_factory=list)
    reply: list[float] = field(default_factory=list)
    nodes: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    outside: list[float] = field(default_factory=list)
    retrieve: list[float] = field(default_factory=list)
    retrieve_floor: list[float] = field(default_factory=list)
    ingest_per_s: float | None = None
    chatter: Chatter | None = None
    growth: list[GrowthPoint] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Played:
    ms: float
    reply_ms: float
    nodes: dict[str, float]


async def run_latency(request: Request, outcome: Outcome) -> None:
    """Measure ingest, retrieval and turns on stores that hold 1,000 messages of the contact.

    Raises:
        RecollectError: the stores cannot be opened.
    """
    turns = request.limit or TURNS
    sizes = request.sizes or SIZES
    chatter = min(MESSAGES, 10 * turns)
    grown = max(sizes) + len(sizes) * turns
    request.progress.expect(HISTORY + 2 * turns + WARM_UP + chatter + grown)
    samples = _Samples()
    model = ScriptedChatModel()
    try:
        async with workspace(request.settings, Overrides(model=model)) as stores:
            outcome.embedder = stores.memory.embedder.fingerprint
            agent = agent_on(stores)
            draw = random.Random(request.seed)  # noqa: S311  (texts to measure with, no secrets)
            await _ingest(request, agent, samples, draw)
            await _retrievals(request, agent, samples, draw, turns)
            await _turns(request, agent, samples, draw, turns)
            samples.chatter = await measure_chatter(request, agent, chatter)
        samples.growth = await measure_growth(request, sizes, turns)
    except (_TurnFailedError, ChatterFailedError) as error:
        outcome.failed.append(Failure("turn", PRODUCT, str(error)))
    finally:
        outcome.systems[PRODUCT] = figures(samples)


def figures(samples: _Samples) -> SystemResult:
    """Return the suite's figures; by node: where a turn's time goes on average."""
    floor, turn = percentile(samples.floor, 0.5), percentile(samples.turn, 0.5)
    bare, retrieve = percentile(samples.retrieve_floor, 0.5), percentile(samples.retrieve, 0.5)
    metrics: Figures = {
        "floor_ms_p50": floor,
        "turn_ms_p50": turn,
        "turn_ms_p95": percentile(samples.turn, 0.95),
        "turn_ratio": turn / floor if turn and floor else None,
        "reply_ms_p50": percentile(samples.reply, 0.5),
        "retrieve_ms_p50": retrieve,
        "retrieve_floor_ms_p50": bare,
        "retrieve_ratio": retrieve / bare if retrieve and bare else None,
        "growth_ratio": _growth_ratio(samples.growth),
        "ingest_per_s": samples.ingest_per_s,
        "group_chatter_per_s": samples.chatter.recorded_per_s if samples.chatter else None,
        "group_chatter_learned_per_s": samples.chatter.learned_per_s if samples.chatter else None,
        "group_chatter_answers": float(samples.chatter.answers) if samples.chatter else None,
    }
    parts = {**samples.nodes, "around the graph": samples.outside}
    by = {
        name: {"ms_mean": mean(ms), "ms_p50": percentile(ms, 0.5)}
        for name, ms in parts.items()
        if ms
    }
    drawn = {
        "turn_ms": samples.turn,
        "floor_ms": samples.floor,
        "retrieve_ms": samples.retrieve,
        "retrieve_floor_ms": samples.retrieve_floor,
    }
    details = {
        "growth": [asdict(point) for point in samples.growth],
        "samples": {name: thinned(ms) for name, ms in drawn.items() if ms},
    }
    return SystemResult(metrics, {"node": by}, details=details)


def _growth_ratio(points: Sequence[GrowthPoint]) -> float | None:
    """Return the retrieval's time in the largest store over that in the smallest."""
    if len(points) < 2 or not points[0].retrieve_ms_p50:
        return None
    largest = points[-1].retrieve_ms_p50
    return largest / points[0].retrieve_ms_p50 if largest else None


class _TurnFailedError(Exception):
    """A turn of the product failed."""


async def _ingest(request: Request, agent: Agent, samples: _Samples, draw: random.Random) -> None:
    now = agent.stores.clock()
    messages = [
        _said(agent, sentence(draw), now - timedelta(minutes=HISTORY - i)) for i in range(HISTORY)
    ]
    batches = [messages[start : start + BATCH] for start in range(0, HISTORY, BATCH)]
    started = time.perf_counter()
    await import_batches(agent.stores.memory, agent.stores.projector, batches)
    samples.ingest_per_s = HISTORY / (time.perf_counter() - started)
    request.progress.step("latency: ingest", HISTORY)


async def _retrievals(
    request: Request, agent: Agent, samples: _Samples, draw: random.Random, count: int
) -> None:
    stores = agent.stores
    asking = _said(agent, "", stores.clock())
    scope = Scope(stores.settings.tenant, asking.contact_id, asking.anchor, is_group=False)
    for number in range(count + WARM_UP):
        query = sentence(draw)
        started = time.perf_counter()
        (vector,) = await stores.memory.embedder.embed([query])
        await stores.memory.vectors.search(scope.tenant, "message", [scope.anchor], vector, FOUND)
        middle = time.perf_counter()
        await recall(stores.memory, scope, query, stores.clock(), FOUND)
        ended = time.perf_counter()
        if number >= WARM_UP:
            samples.retrieve_floor.append((middle - started) * 1000)
            samples.retrieve.append((ended - middle) * 1000)
            request.progress.step("latency: retrieve")


async def _turns(
    request: Request, agent: Agent, samples: _Samples, draw: random.Random, count: int
) -> None:
    floor: Turn = floor_turn(agent.stores.saver)
    for number in range(count + WARM_UP):
        text = sentence(draw)
        floor_ms = await floor(text)
        played = await _turn(agent, text)
        request.progress.step("latency: turns")
        if number < WARM_UP:
            continue
        samples.floor.append(floor_ms)
        samples.turn.append(played.ms)
        samples.reply.append(played.reply_ms)
        samples.outside.append(played.ms - sum(played.nodes.values()))
        for node, ms in played.nodes.items():
            samples.nodes[node].append(ms)


async def _turn(agent: Agent, text: str) -> _Played:
    nodes: dict[str, float] = {}
    reply_ms = 0.0
    started = time.perf_counter()
    async for event in agent.send(_said(agent, text, agent.stores.clock())):
        match event:
            case NodeDone(node, ms):
                nodes[node] = ms
            case Stored():
                reply_ms = (time.perf_counter() - started) * 1000
            case Failed(_, reason):
                raise _TurnFailedError(reason)
            case Finished(decision=decision) if decision != "respond":
                raise _TurnFailedError(f"the turn ended with {decision!r} instead of a reply")
    return _Played((time.perf_counter() - started) * 1000, reply_ms, nodes)


def _said(agent: Agent, text: str, sent_at: datetime) -> Message:
    return replace(agent.local_message(text), sent_at=sent_at)
