"""How replies are sent: bounds and times; and what it takes to go on whatever fails."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from memory.errors import reason_of

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Terms:
    """How replies are sent. Times in seconds.

    `senders` sends of an account may be under way, `senders_in_all` of a process. `echo_grace_s` is
    how long the answer to a send is waited for once its echo is there. `doubt_s` is how long an
    attempt whose outcome is open is left alone before the chat is looked up, and again before a
    second look is taken for the truth: together longer than a gateway takes for a send that is
    still under way. `give_up_s` is how long a look-up is tried while the gateway does not answer,
    with pauses of up to `silence_s`.
    """

    senders: int = 4
    senders_in_all: int = 512
    poll_s: float = 1.0
    send_s: float = 45.0
    echo_grace_s: float = 0.5
    look_up_s: float = 10.0
    doubt_s: float = 5.0
    give_up_s: float = 900.0
    silence_s: float = 60.0
    stop_s: float = 10.0


async def rest(stopped: asyncio.Event, seconds: float) -> None:
    """Wait, but no longer than until it stops."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await stopped.wait()


async def persistently(step: Callable[[], Awaitable[None]], stopped: asyncio.Event) -> None:
    """Take a step again and again until it stops; outlives every failure."""
    failures = 0
    while not stopped.is_set():
        try:
            await step()
            failures = 0
        # The outer loop: whatever is wrong with the stores, sending goes on.
        except Exception as error:  # noqa: BLE001
            failures += 1
            log.warning("the outbox cannot be worked on: %s", reason_of(error))
            await rest(stopped, min(2.0**failures, 10.0))
