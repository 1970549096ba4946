"""Where a warm turn's time and statements go: `python -m tests.benchmarks.turn_profile [--show]`.

A contact with a thousand messages writes on as in the terminal; the model answers at once. The
first table adds up to the turn: what is beside a node (a checkpoint's writes) counts only beyond
it. Below it stands what the projector sends beside and after it. The second table lists the calls
to ports, checkpointer and model in each node: calls beside each other each show their whole time,
`its own` is what the node takes without any. Milliseconds and counts are means of a turn.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from functools import partial
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any

from evals.latency.floor import NODES
from evals.latency.players import Product
from evals.latency.processor import processor_time
from evals.latency.sentences import sentence
from evals.suite.scripted import ScriptedChatModel
from graph import build
from graph.bootstrap import Overrides, agent_on, open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.ports.bundle import Memory
from memory.projection.projector import Projector
from tests.benchmarks.statements import counted

HISTORY = 1_000
WARM_UP = 12
OUTSIDE = "around"
PROJECTOR = "projector"
WAITING = "waiting"
LOOK_S = 0.25  # seldom, so that looking costs the processor nothing that shows
_SAVED = ("aget_tuple", "aput", "aput_writes", "is_unfinished")


@dataclass(slots=True)
class Span:
    """One timed call: its node and name (empty: the node itself), when, and what it sent."""

    node: str
    call: str
    began: float
    ended: float = 0.0
    statements: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table."""

    name: str
    calls: float
    statements: float
    ms: float


_node: ContextVar[str] = ContextVar("node", default=OUTSIDE)
_call: ContextVar[Span | None] = ContextVar("call", default=None)


class Recorder:
    """Keeps the spans of turns, and the statements that no span sent: the projector's, others."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.turns: list[Span] = []
        self.projected: list[str] = []
        self.unclaimed: list[str] = []
        self.processor: dict[str, float | None] = {}

    def note(self, statement: str) -> None:
        """Count a statement for the call that sends it."""
        if span := _call.get():
            span.statements.append(statement)
        elif _node.get() != WAITING:
            (self.projected if _node.get() == PROJECTOR else self.unclaimed).append(statement)

    @contextmanager
    def call(self, name: str) -> Iterator[None]:
        """Time a call. Within another call it is part of that one."""
        if _call.get() is not None:
            yield
            return
        with self._span(Span(_node.get(), name, time.perf_counter())) as span:
            token = _call.set(span)
            try:
                yield
            finally:
                _call.reset(token)

    @contextmanager
    def node(self, name: str) -> Iterator[None]:
        """Time a node."""
        with self.within(name), self._span(Span(name, "", time.perf_counter())):
            yield

    @contextmanager
    def within(self, name: str) -> Iterator[None]:
        """Count what is sent for a node, without timing it."""
        token = _node.set(name)
        try:
            yield
        finally:
            _node.reset(token)

    @contextmanager
    def _span(self, span: Span) -> Iterator[Span]:
        try:
            yield span
        finally:
            span.ended = time.perf_counter()
            self.spans.append(span)


class TimedPort:
    """A port whose calls are timed."""

    def __init__(self, recorder: Recorder, name: str, port: Any) -> None:  # Any: each port
        self._recorder, self._name, self._port = recorder, name, port

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._port, name)
        if iscoroutinefunction(found):
            return _timed(found, partial(self._recorder.call, f"{self._name}.{name}"))
        if name == "hold":
            return self._hold
        if name == "based_on":
            return lambda **given: TimedPort(self._recorder, self._name, found(**given))
        return found

    @asynccontextmanager
    async def _hold(self, name: str) -> AsyncIterator[None]:
        held = self._port.hold(name)
        with self._recorder.call(f"{self._name}.hold"):
            await held.__aenter__()
        try:
            yield
        finally:
            with self._recorder.call(f"{self._name}.release"):
                await held.__aexit__(*sys.exc_info())


def _timed(
    function: Callable[..., Awaitable[Any]], span: Callable[[], Any]
) -> Callable[..., Awaitable[Any]]:
    async def run(*args: Any, **kwargs: Any) -> Any:  # Any: whatever the function takes
        with span():
            return await function(*args, **kwargs)

    return run


@contextmanager
def _patched(owner: Any, name: str, span: Callable[[], Any]) -> Iterator[None]:
    original = getattr(owner, name)
    setattr(owner, name, _timed(original, span))
    try:
        yield
    finally:
        setattr(owner, name, original)


@asynccontextmanager
async def profiled(settings: Settings, recorder: Recorder) -> AsyncIterator[tuple[Product, Stores]]:
    """Open the product with every call timed."""
    with ExitStack() as stack:

        def time_of(owner: Any, name: str, span: Callable[[], Any]) -> None:
            stack.enter_context(_patched(owner, name, span))

        for node in NODES:
            time_of(build, node, partial(recorder.node, node))
        time_of(Projector, "run", partial(recorder.within, PROJECTOR))
        time_of(Stores, "wire", partial(recorder.call, "wiring"))
        time_of(ScriptedChatModel, "_agenerate", partial(recorder.call, "model"))
        async with open_stores(settings, Overrides(model=ScriptedChatModel())) as stores:
            for name in _SAVED:
                time_of(stores.saver, name, partial(recorder.call, f"checkpointer.{name}"))
            # Any: a timed port has what the port has, which the types cannot tell.
            ports: dict[str, Any] = {
                each.name: port and TimedPort(recorder, each.name, port)
                for each in fields(Memory)
                for port in [getattr(stores.memory, each.name)]
            }
            projector: Any = TimedPort(recorder, PROJECTOR, stores.projector)
            timed = replace(stores, memory=Memory(**ports), projector=projector)
            yield Product(agent_on(timed)), stores


async def measure(settings: Settings, turns: int, history: int = HISTORY) -> Recorder:
    """Play warm turns, and return what they did."""
    recorder = Recorder()
    draw = random.Random(1)
    async with profiled(settings, recorder) as (product, stores):
        await product.remember([sentence(draw) for _ in range(history)])
        for _ in range(WARM_UP):
            await product.turn(sentence(draw))
        await product.rest()
        recorder.spans.clear()
        folder = stores.settings.data_dir
        before = processor_time(folder)
        with counted(recorder.note):
            for _ in range(turns):
                turn = Span("turn", "", time.perf_counter())
                await product.turn(sentence(draw))
                turn.ended = time.perf_counter()
                recorder.turns.append(turn)
                with recorder.within(WAITING):
                    await _projected(stores)
        recorder.processor = processor_time(folder).since(before, turns)
    return recorder


async def _projected(stores: Stores) -> None:
    """Wait until the projector has caught up by itself."""
    backlog, tenants = stores.memory.backlog, [stores.settings.tenant]
    while True:
        arrears = await backlog.arrears(tenants)
        if not any(each.waiting for each in arrears.values()):
            return
        await asyncio.sleep(LOOK_S)


def parts(recorder: Recorder) -> list[Row]:
    """Return what a turn is made of: the rows before it add up to it; the projector's is beside."""
    count = len(recorder.turns)
    nodes = [span for span in recorder.spans if not span.call]
    calls: defaultdict[str, list[Span]] = defaultdict(list)
    for span in recorder.spans:
        if span.call:
            calls[span.node if span.node != OUTSIDE else span.call.partition(".")[0]].append(span)
    rows = []
    for name in NODES:
        entered = [span for span in nodes if span.node == name]
        rows.append(_row(name, len(entered), calls.pop(name, []), _covered(entered), count))
    taken, until = list(nodes), _covered(nodes)
    for name, made in calls.items():
        taken += made
        rows.append(_row(name, len(made), made, _covered(taken) - until, count))
        until = _covered(taken)
    whole = _covered(recorder.turns)
    rest = Row(
        "LangGraph and the rest", 0, len(recorder.unclaimed) / count, (whole - until) / count
    )
    sent = [*recorder.spans, Span("", "", 0, statements=recorder.unclaimed)]
    after = Row(PROJECTOR, 0, len(recorder.projected) / count, 0)
    return [*rows, rest, _row("turn", count, sent, whole, count), after]


def inside(recorder: Recorder) -> list[Row]:
    """Return the calls of each node, and what it does itself."""
    count = len(recorder.turns)
    rows = []
    for node in (OUTSIDE, *NODES):
        calls: defaultdict[str, list[Span]] = defaultdict(list)
        for span in recorder.spans:
            if span.node == node:
                calls[span.call].append(span)
        entered = calls.pop("", [])
        for call, made in calls.items():
            ms = sum((span.ended - span.began) * 1000 for span in made)
            rows.append(_row(f"{node}: {call}", len(made), made, ms, count))
        if entered:
            own = _covered(entered) - _covered(span for made in calls.values() for span in made)
            rows.append(_row(f"{node}: its own", len(entered), [], own, count))
    return rows


def _row(name: str, calls: int, made: Iterable[Span], ms: float, count: int) -> Row:
    sent = sum(len(span.statements) for span in made)
    return Row(name, calls / count, sent / count, ms / count)


def _covered(spans: Iterable[Span]) -> float:
    """Return how many milliseconds at least one of the spans was under way."""
    total, until = 0.0, 0.0
    for span in sorted(spans, key=lambda span: span.began):
        total += max(span.ended - max(span.began, until), 0.0)
        until = max(until, span.ended)
    return total * 1000


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--show", action="store_true", help="each statement of the last turn, too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # as root the embedded Postgres runs as nobody
        recorder = asyncio.run(measure(Settings(data_dir=Path(folder)), given.turns))
    for rows in (parts(recorder), inside(recorder)):
        print(f"{'':38} {'calls':>6} {'sent':>6} {'ms':>7}")
        for row in rows:
            print(f"{row.name:38} {row.calls:6.1f} {row.statements:6.1f} {row.ms:7.2f}")
        print()
    for name, ms in recorder.processor.items():
        print(f"{name}: {'-' if ms is None else round(ms, 1)}")
    if given.show:
        for span in (s for s in recorder.spans if s.began >= recorder.turns[-1].began):
            for statement in span.statements:
                print(f"{span.node:12} {span.call:26} {statement[:150]}")


if __name__ == "__main__":
    main()
