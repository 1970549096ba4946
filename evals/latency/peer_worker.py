"""The process that a peer's turns are played in: `python -m evals.latency.peer_worker`.

It reads a job, a line of JSON, then lines that each get a number of milliseconds for an answer:
`known`, texts to take in, or `text` and `reply`, a turn. It stops when stdin ends. What the peer
prints goes to stderr.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from evals.recall.cases import CaseTurn
from evals.systems.adapters import open_adapter
from evals.systems.embedding import Embeddings
from evals.systems.system import System

FOUND = 10
"""Hits of a search: as many as the product puts into a prompt."""


@dataclass(frozen=True, slots=True)
class Job:
    """Which adapter to play (`module:Class`), and in what folder."""

    target: str
    folder: str
    embeddings: Embeddings

    def to_json(self) -> str:
        """Return the job as a line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Job:
        """Read a job from a line."""
        given = json.loads(line)
        return cls(**given | {"embeddings": Embeddings(**given["embeddings"])})


class _Memory:
    """A peer's memory, fed and asked as an agent would."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._count = 0

    async def remember(self, texts: Sequence[str]) -> None:
        await self._system.ingest([self._turn("user", text) for text in texts])

    async def turn(self, text: str, reply: str) -> None:
        await self._system.search(text, FOUND)
        await self._system.ingest([self._turn("user", text), self._turn("assistant", reply)])

    def _turn(self, role: Literal["user", "assistant"], text: str) -> CaseTurn:
        self._count += 1
        return CaseTurn(id=str(self._count), session_id="latency", role=role, text=text)


def main() -> None:
    """Do a job."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this ends stdin
    out = os.dup(1)
    os.dup2(2, 1)  # what a peer prints must not get between our lines
    asyncio.run(_play(Job.from_json(sys.stdin.readline()), out))


async def _play(job: Job, out: int) -> None:
    async with (
        open_adapter(job.target, job.embeddings, Path(job.folder)) as opened,
        opened.memory("latency", 0) as system,
    ):
        memory = _Memory(system)
        while line := await asyncio.to_thread(sys.stdin.readline):
            asked = json.loads(line)
            started = time.perf_counter()
            if "known" in asked:
                await memory.remember(asked["known"])
            else:
                await memory.turn(asked["text"], asked["reply"])
            os.write(out, f"{(time.perf_counter() - started) * 1000}\n".encode())


if __name__ == "__main__":
    main()
