"""Load on a real server: webhook latency, group chatter, a long queue, and the cost of a turn.

`python -m tests.benchmarks.load` starts a fake gateway and `recollect serve` on fresh stores, plays
each scenario against it and prints the figures; `--json FILE` writes them down. The chat model is
the offline responder, which answers in about a millisecond, so that what is measured is ours.
`--webs 2 --workers 2` gives webs and workers processes of their own; webhooks go to the webs in
turn. `cores` says how many processor cores each kind of process kept busy, the benchmark itself
(with the gateway) as `driver`; `rss_mb` what the largest process of a kind had resident, every few
seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import random
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx

from scripts.processes import Role
from tests.benchmarks.usage import Usage
from tests.drivers.serving import HMAC_KEY, Serving
from tests.fakes.waha_gateway import WahaGateway
from tests.stores import store_environment

GROUP = "120363000000000099@g.us"
DRAIN_PATIENCE_S = 1_800.0
CONNECTIONS = 16
LOOK_S = 5.0
_SUBJECTS = ("my sister", "the neighbour", "our teacher", "a friend", "my boss", "grandpa")
_DEEDS = ("planted", "sold", "painted", "repaired", "bought", "borrowed", "lost", "found")
_THINGS = ("a bicycle", "an apple tree", "the old piano", "a canoe", "two lamps", "a red coat")

_OPEN = """
select (select count(*) from messages where pending) as pending,
  (select count(*) from turns where state = 'running') as running,
  (select count(*) from outbox where status in ('queued', 'sending')) as leaving,
  (select count(*) from backlog where reason = '') as owed
"""


Figures = dict[str, object]


@dataclass(frozen=True, slots=True)
class Counts:
    """How many processes of each kind; without workers the webs are workers, too."""

    webs: int
    workers: int


@dataclass
class Latencies:
    """Durations of requests in seconds, and how many did not end with 2xx."""

    seconds: list[float] = field(default_factory=list)
    refused: int = 0

    def figures(self) -> dict[str, float]:
        """Return milliseconds by percentile, and the counts."""
        ordered = sorted(self.seconds)
        cut = statistics.quantiles(ordered, n=100) if len(ordered) > 1 else ordered * 99
        return {
            "webhook_ms_p50": round(cut[49] * 1000, 1),
            "webhook_ms_p95": round(cut[94] * 1000, 1),
            "webhook_ms_p99": round(cut[98] * 1000, 1),
            "webhooks": len(ordered),
            "refused": self.refused,
        }


class Poster:
    """Posts signed webhooks over kept connections, as a gateway does."""

    def __init__(self, gateway: WahaGateway, fleet: Sequence[Serving], seed: int) -> None:
        self._gateway = gateway
        webs = [each.webhook_url for each in fleet if each.role != "worker"]
        self._urls = itertools.cycle(webs)
        self._dice = random.Random(seed)
        self._http = httpx.AsyncClient(timeout=60, limits=httpx.Limits(max_connections=64))
        self.latencies = Latencies()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    def sentence(self) -> str:
        """Return something that people say."""
        parts = (self._dice.choice(words) for words in (_SUBJECTS, _DEEDS, _THINGS))
        return f"{' '.join(parts)} number {self._dice.randrange(1000)}"

    async def post(self, chat: str, sender: str = "") -> None:
        """Post one message of a chat."""
        event = self._gateway.event(self.sentence(), chat, sender=sender, push_name=sender or chat)
        body, headers = self._gateway.signed(event)
        started = time.perf_counter()
        answer = await self._http.post(next(self._urls), content=body, headers=headers)
        self.latencies.seconds.append(time.perf_counter() - started)
        self.latencies.refused += not answer.is_success

    async def post_all(self, posts: Iterable[tuple[str, str]]) -> None:
        """Post a message for each chat and sender, over some connections at a time."""
        left = iter(posts)

        async def connection() -> None:
            for chat, sender in left:
                await self.post(chat, sender)

        await asyncio.gather(*(connection() for _ in range(CONNECTIONS)))


async def conversations(
    gateway: WahaGateway, fleet: Sequence[Serving], chats: int, rounds: int
) -> Figures:
    """Let so many people write at once, each again a second after the answer came."""
    poster = Poster(gateway, fleet, seed=1)
    answers: list[float] = []
    answered: Counter[str] = Counter()

    async def count() -> None:
        seen = 0
        while True:
            fresh = gateway.sent[seen:]
            answered.update(sent.chat_id for sent in fresh)
            seen += len(fresh)
            await asyncio.sleep(0.02)

    async def person(number: int) -> None:
        chat = f"4917{number:07d}@c.us"
        for said in range(rounds):
            await asyncio.sleep(random.Random(number * 100 + said).uniform(0.5, 1.5))
            started = time.perf_counter()
            await poster.post(chat)
            while answered[chat] <= said:  # noqa: ASYNC110 counted by one task for all
                await asyncio.sleep(0.02)
            answers.append(time.perf_counter() - started)

    usage, started = Usage(fleet), time.perf_counter()
    counting = asyncio.create_task(count())
    async with asyncio.timeout(DRAIN_PATIENCE_S):
        await asyncio.gather(*(person(number) for number in range(chats)))
    counting.cancel()
    ended = time.perf_counter()
    settled = await _settled(fleet[0], ended)
    await poster.close()
    ordered = sorted(answers)
    return {
        "chats": chats,
        **poster.latencies.figures(),
        "answers_per_s": round(len(answers) / (ended - started), 1),
        "settled_after_s": round(settled, 1),
        "answer_ms_p50": round(ordered[len(ordered) // 2] * 1000),
        "answer_ms_p95": round(ordered[int(len(ordered) * 0.95)] * 1000),
        "cores": usage.cores(),
    }


async def chatter(
    gateway: WahaGateway, fleet: Sequence[Serving], messages: int, people: int
) -> Figures:
    """Post what needs no answer, in one group; count what is recorded and learned a second."""
    poster = Poster(gateway, fleet, seed=2)
    before = len(gateway.sent)
    usage, started = Usage(fleet), time.perf_counter()
    await poster.post_all((GROUP, f"4918{number % people:07d}@c.us") for number in range(messages))
    recorded = time.perf_counter() - started
    settled = await _settled(fleet[0], started)
    await poster.close()
    return {
        **poster.latencies.figures(),
        "recorded_per_s": round(messages / recorded, 1),
        "settled_per_s": round(messages / settled, 1),
        "answers": len(gateway.sent) - before,
        "cores": usage.cores(),
    }


async def queue(
    gateway: WahaGateway, fleet: Sequence[Serving], messages: int, chats: int
) -> Figures:
    """Let messages pile up while no worker runs, then start the workers and watch them drain."""
    return await _drain(
        gateway, fleet, [(f"4919{number % chats:07d}@c.us", "") for number in range(messages)]
    )


async def crowd(
    gateway: WahaGateway, fleet: Sequence[Serving], messages: int, people: int
) -> Figures:
    """Do the same with what the members of one group say."""
    senders = [f"4918{number % people:07d}@c.us" for number in range(messages)]
    return await _drain(gateway, fleet, [(GROUP, sender) for sender in senders])


async def _drain(
    gateway: WahaGateway, fleet: Sequence[Serving], posts: Sequence[tuple[str, str]]
) -> Figures:
    webs = [each for each in fleet if each.role != "worker"]
    before = Counter(sent.chat_id for sent in gateway.sent)
    memory: defaultdict[str, list[int]] = defaultdict(list)
    async with _watched(webs, memory):
        poster = Poster(gateway, webs, seed=3)
        await poster.post_all(posts)
        await poster.close()
    waiting = webs[0].rows(_OPEN)[0]["pending"]
    with ExitStack() as stack:
        for each in fleet:
            if each.role == "worker":
                stack.enter_context(each)
        usage, started = Usage([*fleet]), time.perf_counter()
        async with _watched(fleet, memory):
            await _settled(webs[0], started)
            seconds = time.perf_counter() - started
        cores = usage.cores()
    sent = Counter(message.chat_id for message in gateway.sent) - before
    return {
        "waiting": waiting,
        **poster.latencies.figures(),
        "answered_chats": len(sent),
        "answered_twice": sum(count > 1 for count in sent.values()),
        "messages_per_s": round(waiting / seconds, 1),
        "rss_mb": memory,
        "cores": cores,
    }


@asynccontextmanager
async def _watched(
    fleet: Sequence[Serving], memory: defaultdict[str, list[int]]
) -> AsyncIterator[None]:
    """Note the resident memory of each kind of process meanwhile, MiB."""
    usage = Usage(fleet)

    def look() -> None:
        for kind, mb in usage.resident().items():
            memory[kind].append(mb)

    async def watch() -> None:
        while True:
            look()
            await asyncio.sleep(LOOK_S)

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()
        look()


async def _settled(server: Serving, started: float) -> float:
    """Wait until nothing is open or owed to a projection; return how long that took."""
    while time.perf_counter() - started < DRAIN_PATIENCE_S:
        row = (await asyncio.to_thread(server.rows, _OPEN))[0]
        if not any(row.values()):
            return time.perf_counter() - started
        await asyncio.sleep(0.2)
    raise TimeoutError("the queue does not drain")


def fleet_of(folder: Path, gateway: WahaGateway, counts: Counts, debounce_ms: int) -> list[Serving]:
    """Return the processes, none of them started, on fresh stores."""
    stores = store_environment(folder)
    settings = {"RECOLLECT_DEBOUNCE_MS": str(debounce_ms)}
    web: Role = "web" if counts.workers else "both"
    roles: list[Role] = [web] * counts.webs + ["worker"] * counts.workers
    fleet = [Serving(stores, gateway.url, settings, role=role) for role in roles]
    gateway.webhook_url = fleet[0].webhook_url
    return fleet


async def run(
    folder: Path, names: Sequence[str], scale: float, counts: Counts, chats: int
) -> dict[str, object]:
    """Play the named scenarios; `scale` shortens them."""
    figures: dict[str, object] = {}
    with WahaGateway(hmac_key=HMAC_KEY, mode="after") as gateway:
        if {"conversations", "chatter"} & {*names}:
            fleet = fleet_of(folder / "a", gateway, counts, 100)
            with ExitStack() as stack:
                for each in fleet:
                    stack.enter_context(each)
                if "conversations" in names:
                    rounds = max(int(8 * scale), 1)
                    figures["conversations"] = await conversations(gateway, fleet, chats, rounds)
                if "chatter" in names:
                    count = int(3_000 * scale)
                    figures["chatter"] = await chatter(gateway, fleet, count, people=30)
        total = int(10_000 * scale)
        apart = replace(counts, workers=max(counts.workers, 1))
        for name, play, people in (("queue", queue, max(total // 5, 1)), ("crowd", crowd, 30)):
            if name in names:
                fleet = fleet_of(folder / name, gateway, apart, 0)
                with ExitStack() as stack:
                    for each in fleet:
                        if each.role != "worker":
                            stack.enter_context(each)
                    figures[name] = await play(gateway, fleet, total, people)
    return figures


def main() -> int:
    """Run from the command line; return the exit status."""
    scenarios = ("conversations", "chatter", "queue", "crowd")
    parser = argparse.ArgumentParser(description="Measure a server under load.")
    parser.add_argument("--only", choices=scenarios, action="append")
    parser.add_argument("--scale", type=float, default=1.0, help="shorter below 1")
    parser.add_argument("--chats", type=int, default=50, help="of conversations")
    parser.add_argument("--webs", type=int, default=1)
    parser.add_argument("--workers", type=int, default=0, help="0: the webs do the work")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    counts = Counts(given.webs, given.workers)
    with tempfile.TemporaryDirectory() as folder:
        names = given.only or scenarios
        figures = asyncio.run(run(Path(folder), names, given.scale, counts, given.chats))
    print(json.dumps(figures, indent=1))
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
