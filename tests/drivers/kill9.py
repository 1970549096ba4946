"""Kill processes at random instants between webhook and send, and count the answers.

`python -m tests.drivers.kill9 --kills 20 [--target web|worker|both] [--webs N] [--workers N]`:
starts a fake gateway and the product on fresh stores, then posts a steady stream of signed
messages to five chats (again and again until they are taken, as WAHA does). At each kill one
process is ended by SIGKILL and started again, under way, while the stream goes on. Meanwhile a
chat's export is imported, by a process that is killed, too, and begun again. On embedded stores
some kills fall into a catch-up: Chroma stands still for a while, goes on, and then the process is
killed. In the end every message must be answered exactly once, the export be imported whole, and
`recollect verify` find every projection in line with the ledger. A delivery whose outcome nobody
can know counts as right when it was not sent twice and is listed as `unknown`. Exit status 1 on
any violation.

With `--target both` (and no `--webs`, `--workers`) web and worker are one process.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

import httpx

from memory.embedded.layout import Layout
from scripts.processes import Role
from tests.benchmarks.import_chat import write_chat
from tests.drivers.serving import HMAC_KEY, Serving, run_command
from tests.fakes.waha_gateway import EchoMode, WahaGateway
from tests.stores import store_environment

RETRY_S = 0.5
SETTLE_S = 180.0
CHATS = tuple(f"49000000{number:02d}@c.us" for number in range(1, 6))
STREAM_S = 0.5
"""Between two messages of the stream."""
LOST_SHARE = 0.2
"""Share of the kills that fall between the send and its record for certain."""
CATCH_UP_SHARE = 0.15
"""Share of the kills that fall into a catch-up after Chroma stood still."""
STILL_S = 3.0
IMPORTED_LINES = 1_500
IMPORT_SHARE = 0.3
"""Share of the kills beside which the import is killed, while it lasts."""
MODES: tuple[EchoMode, ...] = ("after", "before_response", "twice", "other_id", "none")
TEXTS = (
    "My name is Alex and I live in Lisbon.",
    "What's my name?",
    "I'm allergic to peanuts.",
    "What must I not eat?",
)
Target = Literal["web", "worker", "both"]
_ONE_PROCESS: list[Role] = ["both"]

_OPEN = """
select (select count(*) from messages where pending)
  + (select count(*) from turns where state = 'running')
  + (select count(*) from outbox where status in ('queued', 'sending'))
  + (select count(*) from backlog where reason = '') as open
"""
_AUTHORS = """
select chat_id, author, count(*) as n from messages join sessions using (session_id)
where channel = 'waha' group by chat_id, author
"""
_IMPORTED = """
select count(*) as n from messages join sessions using (session_id) where channel <> 'waha'
"""
_DELIVERIES = """
select chat_id, status, count(*) as n from outbox join sessions using (session_id)
group by chat_id, status
"""
_UNANSWERED = """
select count(*) as n from messages m join sessions s using (session_id)
where m.author = 'contact' and s.channel = 'waha' and not exists (
  select from messages r where r.turn_id = m.turn_id and r.author = 'agent')
"""


@dataclass
class Outcome:
    """What came of a run of kills."""

    messages: int = 0
    turns: int = 0
    kills: int = 0
    lost: int = 0
    catch_ups: int = 0
    imports: int = 0
    unknown: int = 0
    verified: int = 0
    slowest_s: float = 0.0
    violations: list[str] = field(default_factory=list)


@dataclass
class Stream:
    """Posts messages to the chats in turn until it is stopped; counts what it posted."""

    gateway: WahaGateway
    webs: list[Serving]
    dice: random.Random
    posted: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        """Nothing is posted yet."""
        self._http = httpx.Client(timeout=10, limits=httpx.Limits(max_connections=20))
        self._stopped = threading.Event()
        self._threads: list[threading.Thread] = []
        self._run = threading.Thread(target=self._go, daemon=True)

    def start(self) -> None:
        """Begin to post."""
        self._run.start()

    def stop(self) -> None:
        """Post nothing new, and wait until what was posted is taken."""
        self._stopped.set()
        self._run.join()
        for thread in self._threads:
            thread.join(SETTLE_S)
        self._http.close()

    def _go(self) -> None:
        for chat in itertools.cycle(CHATS):
            if self._stopped.wait(STREAM_S * self.dice.uniform(0.2, 1.8)):
                return
            self._post(chat)

    def _post(self, chat: str) -> None:
        self.posted[chat] += 1
        event = self.gateway.event(f"{self.dice.choice(TEXTS)} ({self.posted[chat]})", chat)
        self.gateway.received.append(event["payload"])
        signed = self.gateway.signed(event)
        thread = threading.Thread(target=self._post_until_taken, args=signed, daemon=True)
        thread.start()
        self._threads.append(thread)

    def _post_until_taken(self, body: bytes, headers: dict[str, str]) -> None:
        deadline = time.monotonic() + SETTLE_S
        while time.monotonic() < deadline:
            url = self.dice.choice(self.webs).webhook_url
            try:
                if self._http.post(url, content=body, headers=headers).is_success:
                    return
            except httpx.HTTPError:
                pass
            time.sleep(RETRY_S)


@dataclass
class History:
    """A chat's export that is imported beside the stream."""

    folder: Path
    stores: dict[str, str]

    def start(self) -> None:
        """Begin to import, or go on."""
        path = self.folder / "WhatsApp Chat with Ben.txt"
        if not path.exists():
            write_chat(path, IMPORTED_LINES)
        self._process = run_command(self.stores, "import", str(path), "--me", "Max")

    def kill(self) -> bool:
        """End it as a power cut would and go on; return whether it was still at it."""
        if self._process.poll() is not None:
            return False
        self._process.kill()
        self._process.communicate()
        self.start()
        return True

    def finish(self) -> int:
        """Wait for its end and return its exit status."""
        self._process.communicate(timeout=SETTLE_S)
        return self._process.returncode


class Driver:
    """One gateway, the processes, and the kills."""

    def __init__(
        self,
        gateway: WahaGateway,
        fleet: list[Serving],
        victims: list[Serving],
        history: History,
        seed: int | None,
    ) -> None:
        self._gateway = gateway
        self._side = fleet[0]
        self._victims = victims
        self._history = history
        self._dice = random.Random(seed)
        self.stream = Stream(
            gateway, [each for each in fleet if each.role != "worker"], random.Random(seed)
        )

    def kill(self, number: int, outcome: Outcome) -> None:
        """Kill one process at a random instant of the stream and start it again."""
        self._gateway.mode = self._dice.choice(MODES)
        victim = self._dice.choice(self._victims)
        sent = len(self._gateway.sent)
        is_answer_lost = victim.role != "web" and self._dice.random() < LOST_SHARE
        if is_answer_lost:
            # The gateway carries sends out and never says so: the kill falls in between.
            self._gateway.stall(len(CHATS))
            _wait(lambda: len(self._gateway.sent) > sent, "the gateway to send")
            outcome.lost += 1
        else:
            _wait(lambda: len(self._gateway.sent) > sent, "an answer")
            time.sleep(self._dice.uniform(0, 2 * STREAM_S))
        if self._dice.random() < CATCH_UP_SHARE and (chroma := self._chroma()):
            os.kill(chroma, signal.SIGSTOP)
            time.sleep(STILL_S)
            os.kill(chroma, signal.SIGCONT)
            time.sleep(self._dice.uniform(0, STREAM_S))
            outcome.catch_ups += 1
        if self._dice.random() < IMPORT_SHARE:
            outcome.imports += self._history.kill()
        victim.kill()
        self._gateway.unstall()
        time.sleep(self._dice.uniform(0, 1))
        started = time.monotonic()
        victim.start()
        outcome.kills += 1
        print(
            f"kill {number:3d}: {victim.role}, echo {self._gateway.mode:15s}"
            f" {len(self._gateway.sent)} answers out"
            f"{', one unconfirmed' if is_answer_lost else ''},"
            f" up again after {time.monotonic() - started:.1f} s",
            flush=True,
        )

    def _chroma(self) -> int:
        """Return the process of the embedded Chroma, 0 where the stores are servers of others."""
        folder = self._side.stores.get("RECOLLECT_DATA_DIR")
        return int(Layout(Path(folder)).lock("chroma").read_text()) if folder else 0

    def settle(self, outcome: Outcome) -> None:
        """Stop the stream and wait until nothing is open and every projection has caught up."""
        self.stream.stop()
        started = time.monotonic()
        if status := self._history.finish():
            outcome.violations.append(f"the import ended with status {status}")
        _wait(lambda: self._side.rows(_OPEN)[0]["open"] == 0, "every turn, delivery and projection")
        outcome.slowest_s = time.monotonic() - started

    def verify(self, outcome: Outcome) -> None:
        """Compare projections with the ledger as a user would."""
        said, _ = run_command(self._side.stores, "verify", "--json").communicate(timeout=SETTLE_S)
        for found in json.loads(said)["projections"]:
            outcome.verified += found["expected"]
            if not found["clean"] or found["waiting"]:
                outcome.violations.append(f"{found['projection']}: {json.dumps(found)}")

    def check(self, outcome: Outcome) -> None:
        """Compare what was posted, what is stored and what was sent, chat by chat."""
        posted = self.stream.posted
        outcome.messages = posted.total()
        sent = Counter(message.chat_id for message in self._gateway.sent)
        rows: dict[str, Counter[str]] = {chat: Counter() for chat in posted}
        for row in self._side.rows(_AUTHORS):
            rows.setdefault(row["chat_id"], Counter())[row["author"]] = row["n"]
        deliveries: dict[str, Counter[str]] = {chat: Counter() for chat in posted}
        for row in self._side.rows(_DELIVERIES):
            deliveries.setdefault(row["chat_id"], Counter())[row["status"]] = row["n"]
        if (imported := self._side.rows(_IMPORTED)[0]["n"]) != IMPORTED_LINES:
            outcome.violations.append(f"{imported} of {IMPORTED_LINES} lines are imported")
        if unanswered := self._side.rows(_UNANSWERED)[0]["n"]:
            outcome.violations.append(f"{unanswered} messages without an answer")
        for chat, count in posted.items():
            unknown, turns = deliveries[chat]["unknown"], rows[chat]["agent"]
            outcome.unknown += unknown
            outcome.turns += turns
            # Messages that waited together, while nobody worked, are one turn.
            if rows[chat]["contact"] != count or set(rows[chat]) != {"contact", "agent"}:
                outcome.violations.append(f"{chat}: {count} posted, stored {dict(rows[chat])}")
            if deliveries[chat]["sent"] + unknown != turns:
                outcome.violations.append(f"{chat}: deliveries {dict(deliveries[chat])}")
            if not turns - unknown <= sent[chat] <= turns:
                outcome.violations.append(f"{chat}: {turns} answers, {sent[chat]} times sent")


def _wait(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + SETTLE_S
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {SETTLE_S:.0f} s for {what}")
        time.sleep(0.05)


def run(
    kills: int,
    folder: Path,
    seed: int | None = None,
    target: Target = "both",
    counts: tuple[int, int] = (0, 0),
) -> Outcome:
    """Kill a target so many times and return what came of it.

    `counts`: how many webs and workers; with none of either, one process is both.
    """
    outcome = Outcome()
    webs, workers = counts
    web: Role = "web"
    worker: Role = "worker"
    roles = [web] * webs + [worker] * workers
    stores = store_environment(folder)
    with WahaGateway(hmac_key=HMAC_KEY) as gateway, ExitStack() as stack:
        fleet = [Serving(stores, gateway.url, role=role) for role in roles or _ONE_PROCESS]
        gateway.webhook_url = fleet[0].webhook_url
        for each in fleet:
            stack.enter_context(each)
        victims = [each for each in fleet if target == "both" or each.role in (target, "both")]
        history = History(folder, stores)
        driver = Driver(gateway, fleet, victims, history, seed)
        driver.stream.start()
        history.start()
        try:
            for number in range(1, kills + 1):
                driver.kill(number, outcome)
            driver.settle(outcome)
        except TimeoutError as error:
            driver.stream.stop()
            outcome.violations.append(str(error))
        time.sleep(1)  # late echoes and second sends, if there were any
        driver.check(outcome)
        driver.verify(outcome)
    return outcome


def main() -> int:
    """Run from the command line; return the exit status."""
    parser = argparse.ArgumentParser(description="Kill processes at random instants.")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--target", choices=get_args(Target), default="both")
    parser.add_argument("--webs", type=int, default=0)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--seed", type=int)
    given = parser.parse_args()
    counts = (given.webs, given.workers)
    if given.target != "both" or any(counts):
        counts = (max(given.webs, 1), max(given.workers, 1))
    with tempfile.TemporaryDirectory() as folder:
        outcome = run(given.kills, Path(folder), given.seed, target=given.target, counts=counts)
    for violation in outcome.violations:
        print("VIOLATION:", violation)
    print(
        f"{outcome.kills} kills, {outcome.messages} messages, {outcome.turns} answers:"
        f" {len(outcome.violations)} violations; {outcome.lost} kills between send and record,"
        f" {outcome.catch_ups} in a catch-up, {outcome.imports} times the import, too;"
        f" {outcome.unknown} deliveries unknown (sent at most once, listed);"
        f" {outcome.verified} entries of projections verified;"
        f" settled {outcome.slowest_s:.1f} s after the stream"
    )
    return 1 if outcome.violations else 0


if __name__ == "__main__":
    sys.exit(main())
