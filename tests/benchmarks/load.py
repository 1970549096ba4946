"""Load on a real server: webhook latency, group chatter, a long queue, and the cost of a turn.

`python -m tests.benchmarks.load` starts a fake gateway and `recollect serve` on fresh stores, plays
each scenario against it and prints the figures; `--json FILE` writes them down. The chat model is
the offline responder, which answers in about a millisecond, so that what is measured is ours.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.drivers.serving import HMAC_KEY, Serving
from tests.fakes.waha_gateway import WahaGateway
from tests.stores import store_environment

SERVE = (sys.executable, "-m", "ui.cli.main", "serve")
WORKER = (sys.executable, "-m", "ui.cli.main", "worker")
GROUP = "120363000000000099@g.us"
DRAIN_PATIENCE_S = 1_800.0
_SUBJECTS = ("my sister", "the neighbour", "our teacher", "a friend", "my boss", "grandpa")
_DEEDS = ("planted", "sold", "painted", "repaired", "bought", "borrowed", "lost", "found")
_THINGS = ("a bicycle", "an apple tree", "the old piano", "a canoe", "two lamps", "a red coat")

_OPEN = """
select (select count(*) from messages where pending) as pending,
  (select count(*) from turns where state = 'running') as running,
  (select count(*) from outbox where status in ('queued', 'sending')) as leaving,
  (select count(*) from backlog where reason = '') as owed
"""


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

    def __init__(self, gateway: WahaGateway, url: str, seed: int) -> None:
        self._gateway = gateway
        self._url = url
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
        answer = await self._http.post(self._url, content=body, headers=headers)
        self.latencies.seconds.append(time.perf_counter() - started)
        self.latencies.refused += not answer.is_success


async def conversations(
    gateway: WahaGateway, server: Serving, chats: int, rounds: int
) -> dict[str, float]:
    """Let so many people write at once, each again a second after the answer came."""
    poster = Poster(gateway, server.webhook_url, seed=1)
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

    started = time.perf_counter()
    counting = asyncio.create_task(count())
    async with asyncio.timeout(DRAIN_PATIENCE_S):
        await asyncio.gather(*(person(number) for number in range(chats)))
    counting.cancel()
    ended = time.perf_counter()
    settled = await _settled(server, ended)
    await poster.close()
    ordered = sorted(answers)
    return {
        "chats": chats,
        **poster.latencies.figures(),
        "answers_per_s": round(len(answers) / (ended - started), 1),
        "settled_after_s": round(settled, 1),
        "answer_ms_p50": round(ordered[len(ordered) // 2] * 1000),
        "answer_ms_p95": round(ordered[int(len(ordered) * 0.95)] * 1000),
    }


async def chatter(
    gateway: WahaGateway, server: Serving, messages: int, people: int
) -> dict[str, float]:
    """Post what needs no answer, in one group; count what is recorded and learned a second."""
    poster = Poster(gateway, server.webhook_url, seed=2)
    before = len(gateway.sent)
    started = time.perf_counter()
    numbers = iter(range(messages))

    async def connection() -> None:
        for number in numbers:
            await poster.post(GROUP, sender=f"4918{number % people:07d}@c.us")

    await asyncio.gather(*(connection() for _ in range(16)))
    recorded = time.perf_counter() - started
    settled = await _settled(server, started)
    await poster.close()
    return {
        **poster.latencies.figures(),
        "recorded_per_s": round(messages / recorded, 1),
        "settled_per_s": round(messages / settled, 1),
        "answers": len(gateway.sent) - before,
    }


async def queue(
    gateway: WahaGateway, folder: Path, messages: int, chats: int
) -> dict[str, float | list[int]]:
    """Let messages pile up while no worker runs, then start one and watch it drain the queue."""
    environment = store_environment(folder)
    settings = {"RECOLLECT_SEND_PACE_MS": "0"}
    web = Serving(environment, gateway.url, settings, (*SERVE, "--no-worker"))
    gateway.webhook_url = web.webhook_url
    before = Counter(sent.chat_id for sent in gateway.sent)
    with web:
        poster = Poster(gateway, web.webhook_url, seed=3)
        numbers = iter(range(messages))

        async def connection() -> None:
            for number in numbers:
                await poster.post(f"4919{number % chats:07d}@c.us")

        await asyncio.gather(*(connection() for _ in range(16)))
        await poster.close()
        waiting = web.rows(_OPEN)[0]["pending"]
        with _worker(environment, gateway.url, settings) as worker:
            memory: list[int] = []
            started = time.perf_counter()
            watch = asyncio.create_task(_watch(worker, memory))
            await _settled(web, started)
            seconds = time.perf_counter() - started
            watch.cancel()
        sent = Counter(message.chat_id for message in gateway.sent) - before
    return {
        "waiting": waiting,
        "chats": chats,
        "answered_chats": len(sent),
        "answered_twice": sum(count > 1 for count in sent.values()),
        "messages_per_s": round(messages / seconds, 1),
        "rss_mb": memory,
    }


@contextmanager
def _worker(environment: dict[str, str], url: str, settings: dict[str, str]) -> Iterator[int]:
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("RECOLLECT_", "OPENAI_"))}
    own = {"RECOLLECT_WAHA_URL": url, "PYTHONPATH": "."}
    process = subprocess.Popen(WORKER, env=variables | environment | settings | own)
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait(60)


async def _watch(pid: int, memory: list[int]) -> None:
    """Note the resident memory of a process every few seconds, MiB."""
    while True:
        with contextlib.suppress(OSError, IndexError, ValueError):
            memory.append(_resident_mb(pid))
        await asyncio.sleep(5)


def _resident_mb(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20


async def _settled(server: Serving, started: float) -> float:
    """Wait until nothing is open or owed to a projection; return how long that took."""
    while time.perf_counter() - started < DRAIN_PATIENCE_S:
        row = (await asyncio.to_thread(server.rows, _OPEN))[0]
        if not any(row.values()):
            return time.perf_counter() - started
        await asyncio.sleep(0.2)
    raise TimeoutError("the queue does not drain")


async def run(folder: Path, names: Sequence[str], scale: float, apart: bool) -> dict[str, object]:
    """Play the named scenarios; `scale` shortens them, `apart` gives the worker its own process."""
    figures: dict[str, object] = {}
    settings = {"RECOLLECT_SEND_PACE_MS": "0", "RECOLLECT_DEBOUNCE_MS": "100"}
    with WahaGateway(hmac_key=HMAC_KEY, mode="after") as gateway:
        if {"conversations", "chatter"} & {*names}:
            stores = store_environment(folder / "a")
            command = (*SERVE, "--no-worker") if apart else SERVE
            server = Serving(stores, gateway.url, settings, command)
            gateway.webhook_url = server.webhook_url
            worker = _worker(stores, gateway.url, settings) if apart else contextlib.nullcontext()
            with server, worker:
                if "conversations" in names:
                    rounds = max(int(8 * scale), 1)
                    figures["conversations"] = await conversations(gateway, server, 50, rounds)
                if "chatter" in names:
                    count = int(3_000 * scale)
                    figures["chatter"] = await chatter(gateway, server, count, people=30)
        if "queue" in names:
            total = int(10_000 * scale)
            figures["queue"] = await queue(gateway, folder / "b", total, chats=max(total // 5, 1))
    return figures


def main() -> int:
    """Run from the command line; return the exit status."""
    scenarios = ("conversations", "chatter", "queue")
    parser = argparse.ArgumentParser(description="Measure a server under load.")
    parser.add_argument("--only", choices=scenarios, action="append")
    parser.add_argument("--scale", type=float, default=1.0, help="shorter below 1")
    parser.add_argument("--apart", action="store_true", help="web and worker in two processes")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = asyncio.run(
            run(Path(folder), arguments.only or scenarios, arguments.scale, arguments.apart)
        )
    print(json.dumps(figures, indent=1))
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
