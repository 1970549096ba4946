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
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
from psycopg import BaseConnection

from graph.bootstrap import open_agent
from graph.settings import Settings
from nodes import state as states
from tests.messages import message

WARM_TURNS = 25
SAID = (
    "My name is Ana and I live in Leeds.",
    "I have a dog, Bruno.",
    "Where did I put the red coat?",
)


@contextmanager
def counted(sent: list[str]) -> Iterator[None]:
    """Note every statement that any connection of this process sends."""
    execute, many = psycopg.AsyncCursor.execute, psycopg.AsyncCursor.executemany
    command = BaseConnection._exec_command

    def noted(query: Any) -> str:
        return " ".join((query.decode() if isinstance(query, bytes) else str(query)).split())

    async def one(self: Any, query: Any, *args: Any, **kwargs: Any) -> Any:
        sent.append(noted(query))
        return await execute(self, query, *args, **kwargs)

    async def several(self: Any, query: Any, *args: Any, **kwargs: Any) -> Any:
        sent.append(noted(query))
        return await many(self, query, *args, **kwargs)

    def bare(self: Any, query: Any, *args: Any, **kwargs: Any) -> Any:
        sent.append(noted(query))
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


async def measure(folder: Path, channel: str) -> tuple[list[str], int]:
    """Return the statements of one warm turn, and how often a message was read from JSON."""
    sent: list[str] = []
    parsed = 0
    read = states.message_from_json

    def counting(data: dict[str, Any]) -> Any:
        nonlocal parsed
        parsed += 1
        return read(data)

    async with open_agent(Settings(data_dir=folder)) as agent:
        for number in range(WARM_TURNS + 1):
            said = replace(
                message(SAID[number % len(SAID)], message_id=f"{channel}-{number}"),
                sent_at=datetime.now(UTC),
            )
            said = replace(said, chat=replace(said.chat, tenant="default", channel=channel))
            is_last = number == WARM_TURNS
            if is_last:
                _patch_everywhere(counting)
            with counted(sent if is_last else []):
                if channel != "web":
                    await agent.take_in(said)
                async for _ in agent.send(said):
                    pass
    return sent, parsed


def _patch_everywhere(reader: Any) -> None:
    for name, module in list(sys.modules.items()):
        if name.startswith(("nodes.", "graph.")) and hasattr(module, "message_from_json"):
            module.message_from_json = reader  # type: ignore[attr-defined]


def main() -> None:
    """Print the counts, and with `--show` the statements."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    for channel in ("web", "waha"):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder).chmod(0o755)  # as root the embedded Postgres runs as nobody
            sent, parsed = asyncio.run(measure(Path(folder), channel))
        theirs = [e for e in sent if "INTO checkpoint" in e or "checkpoint_blobs" in e]
        ours = Counter(sent)
        ours.subtract(theirs)
        print(f"{channel}: {sum(ours.values())} ours, {len(theirs)} of checkpoints,", end=" ")
        print(f"{parsed} messages read from JSON")
        if given.show:
            for each in sent:
                print("  ", each[:150])


if __name__ == "__main__":
    main()
