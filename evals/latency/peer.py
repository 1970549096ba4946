"""Another memory's part of a turn: it is searched, and told the message and the reply.

No graph, no checkpoint and no model: what a turn would take at the least with this memory in it.
It runs in a process of its own, as in the `peers` suite.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from evals.latency.peer_worker import Job
from evals.latency.players import CHAT, Played, Player, TurnFailedError
from evals.systems.driver import embeddings_of, last_line, worker
from evals.systems.registry import PEERS
from graph.settings import Settings

REPLY = "Noted."


class Peer(Player):
    """A peer's memory in its process. It has one chat."""

    def __init__(self, process: asyncio.subprocess.Process, errors: Path, job: Job) -> None:
        self._process = process
        self._errors = errors
        self._say(job.to_json())

    async def remember(self, texts: Sequence[str], chat: str = CHAT) -> None:
        """Add what was said before."""
        del chat
        await self._ask(json.dumps({"known": list(texts)}))

    async def turn(self, text: str, chat: str = CHAT) -> Played:
        """Search and add."""
        del chat
        return Played(float(await self._ask(json.dumps({"text": text, "reply": REPLY}))))

    async def _ask(self, line: str) -> str:
        self._say(line)
        assert self._process.stdout is not None  # noqa: S101 for the type: it is a pipe
        answer = await self._process.stdout.readline()
        if not answer:
            raise TurnFailedError(f"its process ended: {last_line(self._errors.read_bytes())}")
        return answer.decode()

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None  # noqa: S101 for the type: it is a pipe
        self._process.stdin.write(line.encode() + b"\n")


@asynccontextmanager
async def open_peer(name: str, settings: Settings, folder: Path) -> AsyncIterator[Peer]:
    """Start a peer by its name in the registry, in an empty folder.

    What it is asked raises TurnFailedError when its process has ended.
    """
    errors = folder / "stderr"
    own = folder / "own"
    own.mkdir()
    async with worker("evals.latency.peer_worker", folder / "home", errors) as process:
        job = Job(PEERS[name].target, str(own), embeddings_of(settings))
        yield Peer(process, errors, job)
