"""Kill the server at random instants between webhook and send, and count the answers.

`python -m tests.drivers.kill9 --kills 20`: starts a fake gateway and the server on fresh stores;
for each kill posts signed messages to several chats (again and again until they are taken, as WAHA
does), kills the server with SIGKILL, starts it again and waits until nothing is open. Every message
must be answered exactly once. A delivery whose outcome nobody can know counts as right when it was
not sent twice and is listed as `unknown`. Exit status 1 on any violation.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.drivers.serving import COMMAND, HMAC_KEY, Serving
from tests.fakes.waha_gateway import EchoMode, WahaGateway
from tests.stores import store_environment

RETRY_S = 0.1
SETTLE_S = 120.0
REGULAR = "4900000001@c.us"
"""A chat that takes part in every round."""
LOST_SHARE = 0.2
"""Share of the kills that fall between the send and its record for certain."""
MODES: tuple[EchoMode, ...] = ("after", "before_response", "twice", "other_id", "none")
TEXTS = (
    "My name is Alex and I live in Lisbon.",
    "What's my name?",
    "I'm allergic to peanuts.",
    "What must I not eat?",
)

_OPEN = """
select (select count(*) from messages where pending)
  + (select count(*) from turns where state = 'running')
  + (select count(*) from outbox where status in ('queued', 'sending')) as open
"""
_AUTHORS = """
select chat_id, author, count(*) as n from messages join sessions using (session_id)
group by chat_id, author
"""
_DELIVERIES = """
select chat_id, status, count(*) as n from outbox join sessions using (session_id)
group by chat_id, status
"""


@dataclass
class Outcome:
    """What came of a run of kills."""

    messages: int = 0
    kills: int = 0
    sent_before_kill: int = 0
    unknown: int = 0
    violations: list[str] = field(default_factory=list)


class Driver:
    """One gateway and one server, and what was posted to it."""

    def __init__(self, gateway: WahaGateway, server: Serving, dice: random.Random) -> None:
        self._gateway = gateway
        self._server = server
        self._dice = dice
        self._posted: Counter[str] = Counter()
        self._turn_s = 1.0

    def measure(self) -> float:
        """Return how long it takes from posting three messages at once to their last answer, s."""
        times = []
        for number in range(3):
            chats = [f"4910{number}{chat}@c.us" for chat in range(3)]
            expected = len(self._gateway.sent) + len(chats)
            started = time.monotonic()
            self._post(chats)
            self._wait_sent(expected)
            times.append(time.monotonic() - started)
        self._turn_s = min(times)
        return self._turn_s

    def round(self, number: int, outcome: Outcome) -> None:
        """Post, kill at a random instant, start again, wait until nothing is open."""
        self._gateway.mode = self._dice.choice(MODES)
        fresh = [f"49{number + 200:03d}{chat:02d}@c.us" for chat in range(self._dice.randint(0, 2))]
        before = len(self._gateway.sent)
        is_answer_lost = self._dice.random() < LOST_SHARE
        started = time.monotonic()
        posts = self._post([REGULAR, *fresh])
        if is_answer_lost:
            # The gateway carries a send out and never says so: the kill falls in between.
            self._gateway.stall(1)
            self._wait_sent(before + 1)
        else:
            time.sleep(self._dice.uniform(0, self._turn_s * 1.2))
        self._server.kill()
        delay = time.monotonic() - started
        self._gateway.unstall()
        sent = len(self._gateway.sent) - before
        started = time.monotonic()
        self._server.start()
        for post in posts:
            post.join(SETTLE_S)
        self._wait_settled()
        outcome.kills += 1
        outcome.sent_before_kill += sent
        print(
            f"kill {number:2d}: after {delay * 1000:4.0f} ms, echo {self._gateway.mode:15s}"
            f" {sent} of {len(posts)} sent before{' (one unconfirmed)' if is_answer_lost else ''},"
            f" settled {time.monotonic() - started:4.1f} s later",
            flush=True,
        )

    def check(self, outcome: Outcome) -> None:
        """Compare what was posted, what is stored and what was sent, chat by chat."""
        outcome.messages = self._posted.total()
        sent = Counter(message.chat_id for message in self._gateway.sent)
        rows: dict[str, Counter[str]] = {chat: Counter() for chat in self._posted}
        for row in self._server.rows(_AUTHORS):
            rows.setdefault(row["chat_id"], Counter())[row["author"]] = row["n"]
        deliveries: dict[str, Counter[str]] = {chat: Counter() for chat in self._posted}
        for row in self._server.rows(_DELIVERIES):
            deliveries.setdefault(row["chat_id"], Counter())[row["status"]] = row["n"]
        for chat, count in self._posted.items():
            unknown = deliveries[chat]["unknown"]
            outcome.unknown += unknown
            if rows[chat] != Counter(contact=count, agent=count):
                outcome.violations.append(f"{chat}: {count} posted, stored {dict(rows[chat])}")
            if deliveries[chat]["sent"] + unknown != count:
                outcome.violations.append(f"{chat}: deliveries {dict(deliveries[chat])}")
            if not count - unknown <= sent[chat] <= count:
                outcome.violations.append(f"{chat}: {count} posted, {sent[chat]} times answered")

    def _post(self, chats: list[str]) -> list[threading.Thread]:
        threads = []
        for chat in chats:
            text = f"{self._dice.choice(TEXTS)} ({self._posted[chat] + 1})"
            event = self._gateway.event(text, chat)
            self._gateway.received.append(event["payload"])
            body, headers = self._gateway.signed(event)
            self._posted[chat] += 1
            thread = threading.Thread(target=self._post_until_taken, args=(body, headers))
            thread.start()
            threads.append(thread)
        return threads

    def _post_until_taken(self, body: bytes, headers: dict[str, str]) -> None:
        deadline = time.monotonic() + SETTLE_S
        while time.monotonic() < deadline:
            try:
                url = self._server.webhook_url
                if httpx.post(url, content=body, headers=headers, timeout=10).is_success:
                    return
            except httpx.HTTPError:
                pass
            time.sleep(RETRY_S)

    def _wait_sent(self, count: int) -> None:
        _wait(lambda: len(self._gateway.sent) >= count, "the gateway to send")

    def _wait_settled(self) -> None:
        _wait(lambda: self._server.rows(_OPEN)[0]["open"] == 0, "every turn and delivery")


def _wait(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + SETTLE_S
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {SETTLE_S:.0f} s for {what}")
        time.sleep(0.05)


def run(
    kills: int, folder: Path, seed: int | None = None, command: tuple[str, ...] = COMMAND
) -> Outcome:
    """Kill the server so many times and return what came of it."""
    outcome = Outcome()
    with WahaGateway(hmac_key=HMAC_KEY) as gateway:
        server = Serving(store_environment(folder), gateway.url, command=command)
        gateway.webhook_url = server.webhook_url
        with server:
            driver = Driver(gateway, server, random.Random(seed))
            print(f"three chats take {driver.measure() * 1000:.0f} ms from post to last answer")
            try:
                for number in range(1, kills + 1):
                    driver.round(number, outcome)
            except TimeoutError as error:
                outcome.violations.append(str(error))
            time.sleep(0.5)  # late echoes and second sends, if there were any
            driver.check(outcome)
    return outcome


def main() -> int:
    """Run from the command line; return the exit status."""
    parser = argparse.ArgumentParser(description="Kill the server at random instants.")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        outcome = run(arguments.kills, Path(folder), arguments.seed)
    for violation in outcome.violations:
        print("VIOLATION:", violation)
    print(
        f"{outcome.kills} kills, {outcome.messages} messages: {len(outcome.violations)} violations;"
        f" {outcome.sent_before_kill} answers were out before the kill,"
        f" {outcome.unknown} deliveries unknown (sent at most once, listed)"
    )
    return 1 if outcome.violations else 0


if __name__ == "__main__":
    sys.exit(main())
