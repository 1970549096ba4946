"""Statements of one warm answered message: `python -m tests.benchmarks.statements [--show]`.

A contact's direct chat on a channel, with facts, hits and a full window: the message is taken in as
a webhook does, then its turn runs as a worker runs it. Counts what the process sends to Postgres,
transactions' begins and ends included; the checkpointer's own are counted apart.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import psycopg
from psycopg import BaseConnection

from graph import checkpointer
from graph.agent import Agent
from graph.bootstrap import open_agent
from graph.settings import Settings
from memory.domain.chats import Message
from nodes import state as states
from tests.messages import message

WARM_TURNS = 25
STILL_HELD = "select 'alive' as outcome"
SAID = (
    "My name is Ana and I live in Leeds.",
    "I have a dog, Bruno.",
    "Where did I put the red coat?",
)


BY_THE_CLOCK = (STILL_HELD, "select name, generation, fingerprint, state from projections")
"""Asked every few seconds, and by no turn: whether a lock still holds, and what serves.

So is an empty statement: whether a connection that was idle for a while still works.
"""


class Cost(NamedTuple):
    """What a turn sends to Postgres, and how often a message was read from JSON."""

    statements: tuple[str, ...]
    ours: int
    of_checkpoints: int
    messages_read: int


@contextmanager
def counted(note: Callable[[str], None]) -> Iterator[None]:
    """Note every statement that any connection of this process sends."""
    execute, many = psycopg.AsyncCursor.execute, psycopg.AsyncCursor.executemany
    command = BaseConnection._exec_command

    def noted(query: Any) -> str:
        return " ".join((query.decode() if isinstance(query, bytes) else str(query)).split())

    async def one(self: Any, query: Any, *args: Any, **kwargs: Any) -> Any:
        note(noted(query))
        return await execute(self, query, *args, **kwargs)

    async def several(self: Any, query: Any, *args: Any, **kwargs: Any) -> Any:
        note(noted(query))
        return await many(self, query, *args, **kwargs)

    def bare(self: Any, query: Any, *args: Any, **kwargs: Any) -> Any:
        note(noted(query))
        return command(self, query, *args, **kwargs)

    psycopg.AsyncCursor.execute = one  # type: ignore[method-assign]
    psycopg.AsyncCursor.executemany = several  # type: ignore[method-assign]
    BaseConnection._exec_command = bare  # type: ignore[method-assign,assignment]
    try:
        yield
    finally:
        psycopg.AsyncCursor.execute = execute  # type: ignore[method-assign]
        psycopg.AsyncCursor.executemany = many  # type: ignore[method-assign]
        BaseConnection._exec_command = command  # type: ignore[method-assign]


@contextmanager
def readings() -> Iterator[list[str]]:
    """Note every message that a node or the agent reads from JSON, by its id."""
    read = states.message_from_json
    seen: list[str] = []

    def noting(data: dict[str, Any]) -> Message:
        seen.append(str(data["message_id"]))
        return read(data)

    users = [
        module
        for name, module in sys.modules.items()
        if name.startswith(("nodes.", "graph.")) and hasattr(module, "message_from_json")
    ]
    for module in users:
        vars(module)["message_from_json"] = noting
    try:
        yield seen
    finally:
        for module in users:
            vars(module)["message_from_json"] = read


async def measure(settings: Settings, channel: str) -> Cost:
    """Return what one warm turn costs; projections are others' work meanwhile."""
    sent: list[str] = []
    async with open_agent(settings, projects=False) as agent:
        for number in range(WARM_TURNS):
            await _turn(agent, _said(settings.tenant, channel, number))
        # On a busy machine a checkpoint comes later than writes wait for it, and they go alone.
        patient = patch.object(checkpointer, "LINGER_S", 1.0)
        with patient, counted(sent.append), readings() as read:
            await _turn(agent, _said(settings.tenant, channel, WARM_TURNS))
    sent = [each for each in sent if each and not each.startswith(BY_THE_CLOCK)]
    theirs = [e for e in sent if "into checkpoint" in e.lower() or "checkpoint_blobs" in e]
    return Cost(tuple(sent), len(sent) - len(theirs), len(theirs), len(read))


def _said(tenant: str, channel: str, number: int) -> Message:
    said = message(SAID[number % len(SAID)], tenant=tenant, channel=channel)
    return replace(said, message_id=f"{channel}-{number}", sent_at=datetime.now(UTC))


async def _turn(agent: Agent, said: Message) -> None:
    if said.chat.channel != "web":
        await agent.take_in(said)
    async for _ in agent.send(said):
        pass


def main() -> None:
    """Print the counts, and with `--show` the statements."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    for channel in ("web", "waha"):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder).chmod(0o755)  # as root the embedded Postgres runs as nobody
            settings = Settings(data_dir=Path(folder))
            cost = asyncio.run(measure(settings, channel))
        print(f"{channel}: {cost.ours} ours, {cost.of_checkpoints} of checkpoints,", end=" ")
        print(f"{cost.messages_read} messages read from JSON")
        if given.show:
            for each in cost.statements:
                print("  ", each[:150])


if __name__ == "__main__":
    main()
