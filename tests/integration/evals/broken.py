"""Ways to break the product, or to slow it down, called in a world's process before it serves."""

from __future__ import annotations

import asyncio
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatResult
from psycopg import AsyncCursor

from channels import actor
from channels.waha import message
from channels.waha.client import WahaClient
from evals.suite.scripted import ScriptedChatModel
from memory.domain.chats import Actor

MODEL_S, STATEMENT_S = 3.0, 0.05


def send_twice() -> None:
    """Send every text twice."""
    original = WahaClient.send_text

    async def send_text(self: WahaClient, *args: Any, **kwargs: Any) -> str:
        await original(self, *args, **kwargs)
        return await original(self, *args, **kwargs)

    WahaClient.send_text = send_text  # type: ignore[method-assign]


def take_machines_for_people() -> None:
    """Decide that whatever a machine says was said by a contact."""
    original = actor.decide_actor

    def decide_actor(**known: Any) -> Actor:
        decided = original(**known)
        return Actor.CONTACT if decided is Actor.AUTOMATION else decided

    setattr(message, "decide_actor", decide_actor)  # noqa: B010 the module only imports it


def send_twice_to_machines() -> None:
    """Do both."""
    send_twice()
    take_machines_for_people()


def send_nothing() -> None:
    """Say that a text was sent, and keep it."""

    async def send_text(self: WahaClient, *args: Any, **kwargs: Any) -> str:
        del self, args, kwargs
        return "NOTHING"

    WahaClient.send_text = send_text  # type: ignore[method-assign]


def send_for_ever() -> None:
    """Begin to send, and never end."""

    async def send_text(self: WahaClient, *args: Any, **kwargs: Any) -> str:
        del self, args, kwargs
        await asyncio.Event().wait()
        raise AssertionError

    WahaClient.send_text = send_text  # type: ignore[method-assign]


def think_slowly() -> None:
    """Take seconds to generate an answer."""
    original = ScriptedChatModel._agenerate

    async def generate(
        self: ScriptedChatModel,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        answer = await original(self, messages, stop, run_manager, **kwargs)
        await asyncio.sleep(MODEL_S)
        return answer

    ScriptedChatModel._agenerate = generate  # type: ignore[method-assign]


def store_slowly() -> None:
    """Take long over every statement."""
    original = AsyncCursor.execute

    async def execute(self: AsyncCursor[Any], *args: Any, **kwargs: Any) -> Any:
        await asyncio.sleep(STATEMENT_S)
        return await original(self, *args, **kwargs)

    AsyncCursor.execute = execute  # type: ignore[method-assign]


def store_slowly_and_send_nothing() -> None:
    """Do both."""
    store_slowly()
    send_nothing()


def die() -> None:
    """End before serving."""
    raise SystemExit("no stores today")
