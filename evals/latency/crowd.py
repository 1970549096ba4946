"""Several chats at once in one process: answers a second, and what each costs the processor."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass
from pathlib import Path

from evals.latency.players import Player
from evals.latency.processor import processor_time
from evals.latency.sentences import sentence

CHATS = tuple(f"chat{number}" for number in range(8))
KNOWN = 50
"""Messages of each chat that are known before, more than a window holds: turns search them."""
_WARM_UP = 2


@dataclass(frozen=True, slots=True)
class Crowd:
    """Answers a second, and processor milliseconds a turn by whose they are."""

    answers_per_s: float
    processor: dict[str, float | None]


async def measure_crowd(
    player: Player, rounds: int, draw: random.Random, folder: Path | None
) -> Crowd:
    """Let eight chats write at once, each again as soon as it has its answer.

    What a turn leaves for later is waited for at the end, and counts: two cores that answer have
    to do that, too. `folder` holds the embedded stores.

    Raises:
        TurnFailedError: a turn ended without a reply.
    """

    async def talk(chat: str, turns: int) -> None:
        for _ in range(turns):
            await player.turn(sentence(draw), chat)

    for chat in CHATS:
        await player.remember([sentence(draw) for _ in range(KNOWN)], chat)
    await asyncio.gather(*(talk(chat, _WARM_UP) for chat in CHATS))
    await player.rest()
    before, started = processor_time(folder), time.perf_counter()
    await asyncio.gather(*(talk(chat, rounds) for chat in CHATS))
    await player.rest()
    seconds, turns = time.perf_counter() - started, rounds * len(CHATS)
    return Crowd(turns / seconds, processor_time(folder).since(before, turns))
