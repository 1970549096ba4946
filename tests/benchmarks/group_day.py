"""A day of traffic in one group, played against a real server from a recall file.

`python -m tests.benchmarks.group_day --from CASES.jsonl`: each speaker of the file is a contact of
its own, until there are as many as `--people`; what they said is spread over one group's day, one
message in `--every` mentions the agent or replies to it. Only those may be answered, each once.
Prints p50 and p95 of webhook and answer, the rows by author, and every violation; exit status 1 on
a violation.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx

from tests.drivers.serving import HMAC_KEY, Serving
from tests.fakes.waha_gateway import WahaGateway
from tests.stores import store_environment

SERVE = (sys.executable, "-m", "ui.cli.main", "serve")
GROUP = "120363000000000777@g.us"
DAY = timedelta(hours=16)
PATIENCE_S = 600.0

_ROWS = "select author, count(*) as n from messages group by author order by author"
_OPEN = """
select (select count(*) from messages where pending)
  + (select count(*) from turns where state = 'running')
  + (select count(*) from outbox where status in ('queued', 'sending')) as open
"""
_ANSWERED = """
select m.message_id, r.content as reply, m.mentions_agent or m.replies_to_agent as addressed,
  extract(epoch from r.recorded_at - m.recorded_at) as seconds
from messages m join messages r on r.turn_id = m.turn_id and r.author = 'agent'
where m.author = 'contact'
"""


@dataclass(frozen=True, slots=True)
class Line:
    """What one person says in the group."""

    person: int
    text: str
    addresses: str
    """`mention`, `reply` (to the agent's last message) or empty."""


def read_lines(path: Path, people: int, count: int, every: int) -> list[Line]:
    """Return a day's lines, the conversations of the file mixed as they would be in a group."""
    dice = random.Random(7)
    spoken: dict[tuple[str, str, str], list[str]] = {}
    for case in _cases(path):
        for turn in case["turns"]:
            # With fewer speakers than people, one who comes back another day is someone else.
            key = (case["case_id"], turn["speaker"], turn["session_id"])
            spoken.setdefault(key, []).append(turn["text"])
    speakers = list(dict.fromkeys((case_id, name) for case_id, name, _ in spoken))[:people]
    doubles = people - len(speakers)
    texts_of: dict[tuple[str, str, bool], list[str]] = {}
    for number, (case_id, name, session) in enumerate(spoken):
        if (case_id, name) in speakers:
            is_double = number % 2 == 1 and speakers.index((case_id, name)) < doubles
            texts_of.setdefault((case_id, name, is_double), []).extend(
                spoken[case_id, name, session]
            )
    queues = [(person, iter(texts)) for person, texts in enumerate(texts_of.values())]
    lines: list[Line] = []
    while queues and len(lines) < count:
        person, texts = queues[dice.randrange(len(queues))]
        text = next(texts, None)
        if text is None:
            queues = [queue for queue in queues if queue[0] != person]
            continue
        kind = ("mention", "reply")[len(lines) // every % 2] if len(lines) % every == 0 else ""
        lines.append(Line(person, text, kind))
    return lines


def _cases(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


class Day:
    """Posts the lines and keeps what was addressed to the agent."""

    def __init__(self, gateway: WahaGateway, server: Serving) -> None:
        self._gateway = gateway
        self._server = server
        self.seconds: list[float] = []
        self.addressed: set[str] = set()

    async def play(self, lines: list[Line], per_s: float) -> None:
        """Post the lines in order at a steady rate, as if they were a day apart."""
        started = time.perf_counter()
        morning = datetime.now(UTC) - DAY
        async with httpx.AsyncClient(timeout=30) as http:
            for number, line in enumerate(lines):
                await asyncio.sleep(max(started + number / per_s - time.perf_counter(), 0))
                at = morning + DAY * number / len(lines)
                event = self._event(line, int(at.timestamp()))
                body, headers = self._gateway.signed(event)
                before = time.perf_counter()
                answer = await http.post(self._server.webhook_url, content=body, headers=headers)
                self.seconds.append(time.perf_counter() - before)
                answer.raise_for_status()

    def _event(self, line: Line, at: int) -> dict[str, Any]:
        sender = f"4920{line.person:07d}@c.us"
        me = self._gateway.me
        text = line.text
        extra: dict[str, Any] = {}
        replied = [sent for sent in self._gateway.sent if sent.chat_id == GROUP]
        message_id = self._gateway.next_id()
        if line.addresses == "reply" and replied:
            extra = {"replyTo": {"id": replied[-1].message_id, "participant": me}}
        elif line.addresses:
            text = f"@{me.partition('@')[0]} {text}"
            extra = {"_data": {"pushName": f"Person {line.person}", "mentionedJidList": [me]}}
        if line.addresses:
            self.addressed.add(message_id)
        data: dict[str, Any] = {"_data": {"pushName": f"Person {line.person}"}, **extra}
        return self._gateway.event(
            text, GROUP, sender=sender, message_id=message_id, timestamp=at, **data
        )


def violations(day: Day, answered: list[dict[str, Any]], gateway: WahaGateway) -> list[str]:
    """Return what is wrong: unaddressed and answered, addressed and not, or answered twice."""
    found = {row["message_id"] for row in answered if row["message_id"] in day.addressed}
    wrong = [f"not answered: {message_id}" for message_id in sorted(day.addressed - found)]
    turns = Counter(row["message_id"] for row in answered)
    wrong += [f"answered {n} times: {key}" for key, n in turns.items() if n > 1]
    replies = {row["reply"] for row in answered}
    addressed_replies = {row["reply"] for row in answered if row["addressed"]}
    unasked = replies - addressed_replies
    wrong += [f"answered without being asked: {reply[:40]!r}" for reply in unasked]
    if len(gateway.sent) > len(day.addressed):
        wrong.append(f"{len(gateway.sent)} replies to {len(day.addressed)} messages")
    return wrong


async def run(path: Path, people: int, count: int, every: int, per_s: float) -> int:
    """Play the day; print what came of it and return the exit status."""
    lines = read_lines(path, people, count, every)
    with tempfile.TemporaryDirectory() as folder, WahaGateway(hmac_key=HMAC_KEY) as gateway:
        server = Serving(store_environment(Path(folder)), gateway.url, {}, SERVE)
        gateway.webhook_url = server.webhook_url
        with server:
            day = Day(gateway, server)
            started = time.perf_counter()
            await day.play(lines, per_s)
            posted = time.perf_counter() - started
            while (await asyncio.to_thread(server.rows, _OPEN))[0]["open"]:
                if time.perf_counter() - started > posted + PATIENCE_S:
                    raise TimeoutError("the day does not end: something stays open")
                await asyncio.sleep(0.2)
            settled = time.perf_counter() - started
            answered = server.rows(_ANSWERED)
            rows = {row["author"]: row["n"] for row in server.rows(_ROWS)}
    wrong = violations(day, answered, gateway)
    waits = sorted(float(row["seconds"]) for row in answered if row["addressed"])
    ordered = sorted(day.seconds)
    figures = {
        "people": len({line.person for line in lines}),
        "messages": len(lines),
        "addressed": len(day.addressed),
        "replies": len(gateway.sent),
        "posted_per_s": round(len(lines) / posted, 1),
        "settled_after_s": round(settled - posted, 1),
        "webhook_ms_p50": round(_share(ordered, 0.5) * 1000, 1),
        "webhook_ms_p95": round(_share(ordered, 0.95) * 1000, 1),
        "answer_ms_p50": round(_share(waits, 0.5) * 1000),
        "answer_ms_p95": round(_share(waits, 0.95) * 1000),
        "rows": rows,
        "violations": len(wrong),
    }
    print(json.dumps(figures, indent=1))
    for line in wrong[:20]:
        print("VIOLATION:", line)
    return 1 if wrong else 0


def _share(ordered: list[float], share: float) -> float:
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] if ordered else 0.0


def main() -> int:
    """Run from the command line; return the exit status."""
    parser = argparse.ArgumentParser(description="Play a day of a group.")
    parser.add_argument("--from", dest="path", type=Path, required=True, metavar="CASES.jsonl")
    parser.add_argument("--people", type=int, default=30)
    parser.add_argument("--messages", type=int, default=2_000)
    parser.add_argument("--every", type=int, default=25, help="one message in so many is addressed")
    parser.add_argument("--per-s", type=float, default=20.0)
    given = parser.parse_args()
    return asyncio.run(run(given.path, given.people, given.messages, given.every, given.per_s))


if __name__ == "__main__":
    sys.exit(main())
