"""Who plays turns: the product, and what stands beside it. Each takes a text in a chat."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from graph.agent import Agent, Failed, Finished, NodeDone, Stored
from memory.projection.importing import import_batches

CHAT = "one"
"""The chat whose turns are timed one by one."""
_BATCH = 256


class TurnFailedError(Exception):
    """A turn did not end with a reply; the message says why."""


@dataclass(frozen=True, slots=True)
class Played:
    """One turn in milliseconds: whole, until the reply was stored (None: never), by node."""

    ms: float
    reply_ms: float | None = None
    nodes: Mapping[str, float] = field(default_factory=dict)


class Player:
    """Something that answers texts, a turn each. This one knows nothing of its chats."""

    async def remember(self, texts: Sequence[str], chat: str = CHAT) -> None:
        """Take in what a chat said before, oldest first."""

    async def turn(self, text: str, chat: str = CHAT) -> Played:
        """Play one turn of a chat.

        Raises:
            TurnFailedError: it ended without a reply.
        """
        raise NotImplementedError

    async def rest(self) -> None:
        """Return when nothing is left to be done of what was said so far."""


class Product(Player):
    """The product's own import and turns, as the terminal and the page run them."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    async def remember(self, texts: Sequence[str], chat: str = CHAT) -> None:
        """Import messages, a minute apart, the last one a minute ago."""
        now = self._agent.stores.clock()
        messages = [
            replace(
                self._agent.local_message(text, chat),
                sent_at=now - timedelta(minutes=len(texts) - number),
            )
            for number, text in enumerate(texts)
        ]
        batches = [messages[start : start + _BATCH] for start in range(0, len(messages), _BATCH)]
        stores = self._agent.stores
        await import_batches(stores.memory, stores.projector, batches)

    async def turn(self, text: str, chat: str = CHAT) -> Played:
        """Send a message and read the turn's events to the end."""
        nodes: dict[str, float] = {}
        reply_ms = None
        started = time.perf_counter()
        async for event in self._agent.send(self._agent.local_message(text, chat)):
            match event:
                case NodeDone(node, ms):
                    nodes[node] = ms
                case Stored():
                    reply_ms = (time.perf_counter() - started) * 1000
                case Failed(_, reason):
                    raise TurnFailedError(reason)
                case Finished(decision=decision) if decision != "respond":
                    raise TurnFailedError(f"the turn ended with {decision!r} instead of a reply")
        return Played((time.perf_counter() - started) * 1000, reply_ms, nodes)

    async def rest(self) -> None:
        """Wait until every projection has taken in what the turns left for it."""
        await self._agent.stores.projector.caught_up()
