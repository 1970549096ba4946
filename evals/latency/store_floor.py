"""What one would write instead: LangGraph's six nodes, with a memory in LangGraph's own store.

`retrieve` searches the store for what was said, `generate` shows the model what was found and the
window, `store` puts the message and the reply, both at once. There is no more to it: no policy, no
transcript, no facts, nothing beside the vectors to search by. Its embedder is the product's, which
remembers the latest texts: a message is embedded once for its search and its place in the store.

Source: LangGraph's documentation, "Add memory": a namespace a user, `asearch` with a query, `aput`
of a value under a fresh key; `AsyncPostgresStore` with `index` searches by pgvector.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from uuid import uuid4

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, SystemMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.store.base import PutOp
from langgraph.store.postgres.aio import AsyncPostgresStore

from evals.latency.floor import SixNodes, WindowState
from evals.latency.players import CHAT, Played, Player

FOUND = 10
"""Memories that the model is shown, as many as the product recalls."""
_BATCH = 256


class StoreFloor(Player):
    """Six nodes on the stock checkpointer that search and write the stock store each turn."""

    def __init__(
        self, saver: BaseCheckpointSaver[str], store: AsyncPostgresStore, model: BaseChatModel
    ) -> None:
        self._store = store
        self._model = model
        self._found: dict[str, str] = {}
        self._stored: dict[str, float] = {}
        self._nodes = SixNodes(
            saver, {"retrieve": self._search, "generate": self._generate, "store": self._put}
        )

    async def remember(self, texts: Sequence[str], chat: str = CHAT) -> None:
        """Put what a chat said before."""
        puts = [PutOp(_memories(chat), str(uuid4()), {"text": text}) for text in texts]
        for start in range(0, len(puts), _BATCH):
            await self._store.abatch(puts[start : start + _BATCH])

    async def turn(self, text: str, chat: str = CHAT) -> Played:
        """Play one turn."""
        started = time.perf_counter()
        played = await self._nodes.turn(text, chat)
        return Played(played.ms, (self._stored.pop(chat) - started) * 1000)

    async def _search(self, state: WindowState, config: RunnableConfig) -> WindowState:
        chat = _chat(config)
        query = state["messages"][-1].text
        items = await self._store.asearch(_memories(chat), query=query, limit=FOUND)
        self._found[chat] = "\n".join(item.value["text"] for item in items)
        return {}

    async def _generate(self, state: WindowState, config: RunnableConfig) -> WindowState:
        memories = SystemMessage(f"What you remember:\n{self._found.pop(_chat(config))}")
        reply = await self._model.ainvoke([memories, *state["messages"]])
        return {"messages": [AIMessage(id=str(uuid4()), content=reply.text)]}

    async def _put(self, state: WindowState, config: RunnableConfig) -> WindowState:
        chat = _chat(config)
        said = [message.text for message in state["messages"][-2:]]
        puts = (self._store.aput(_memories(chat), str(uuid4()), {"text": each}) for each in said)
        await asyncio.gather(*puts)
        self._stored[chat] = time.perf_counter()
        return {}


def _chat(config: RunnableConfig) -> str:
    return str(config["configurable"]["thread_id"]).rpartition("-")[2]


def _memories(chat: str) -> tuple[str, ...]:
    return ("memories", chat)
