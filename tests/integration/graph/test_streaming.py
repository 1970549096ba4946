"""What whoever watches a turn sees of a reply while it is written."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from pydantic import PrivateAttr

from graph.agent import Agent, Finished, NodeDone, Stored, Token
from graph.bootstrap import Overrides, agent_on, open_stores
from graph.settings import Settings
from memory.domain.chats import Message
from nodes.checks.output import POLITE_LINE
from tests.messages import message

pytestmark = pytest.mark.anyio

KEY = "sk-proj-1234567890"


class SpeakingModel(BaseChatModel):
    """Says its pieces one by one; after the first it waits until it is let go on."""

    pieces: tuple[str, ...]
    _may_go_on: asyncio.Event = PrivateAttr(default_factory=asyncio.Event)

    def go_on(self) -> None:
        """Let it say the rest."""
        self._may_go_on.set()

    @property
    def _llm_type(self) -> str:
        return "speaking"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # Any: LangChain's own signature
    ) -> ChatResult:
        raise AssertionError("it is streamed")

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # Any: LangChain's own signature
    ) -> AsyncIterator[ChatGenerationChunk]:
        for number, piece in enumerate(self.pieces):
            if number == 1:
                await self._may_go_on.wait()
            yield ChatGenerationChunk(message=AIMessageChunk(content=piece))


async def _watched(settings: Settings, model: SpeakingModel) -> tuple[list[str], Finished]:
    """Return the tokens of a turn; the model goes on when its first one was seen, or soon."""
    given = settings.model_copy(update={"waha_api_key": settings.waha_api_key.__class__(KEY)})
    tokens: list[str] = []
    asyncio.get_running_loop().call_later(2.0, model.go_on)
    async with open_stores(given, Overrides(model=model)) as stores:
        async for event in agent_on(stores).send(_said(agent_on(stores))):
            if isinstance(event, Token):
                tokens.append(event.text)
                model.go_on()
    assert isinstance(event, Finished), event
    return tokens, event


def _said(agent: Agent) -> Message:
    return message("what is the key?", tenant=agent.stores.settings.tenant)


async def test_the_first_words_are_seen_before_the_last_are_said(settings: Settings) -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    tokens, finished = await _watched(settings, SpeakingModel(pieces=("Hello ", "there, ", "Ana.")))
    assert loop.time() - began < 2.0 or tokens[0] == "Hello "
    assert tokens[:1] == ["Hello "]
    assert "".join(tokens) == finished.reply == "Hello there, Ana."


async def test_a_key_is_never_streamed_not_even_in_part(settings: Settings) -> None:
    pieces = ("The key is ", KEY[:8], KEY[8:], ", keep it safe.")
    tokens, finished = await _watched(settings, SpeakingModel(pieces=pieces))
    assert finished.reply == POLITE_LINE
    assert KEY[:8] not in "".join(tokens)
    assert "".join(tokens).removesuffix(POLITE_LINE) in ("The key is ", "")


async def test_where_nobody_watches_the_model_is_streamed_and_no_token_comes(
    settings: Settings,
) -> None:
    model = SpeakingModel(pieces=("Hello ", "there."))
    model.go_on()
    async with open_stores(settings, Overrides(model=model)) as stores:
        agent = agent_on(stores)
        events = [event async for event in agent.send_held(_said(agent))]
    stored = events.index(Stored(has_reply=True))
    assert [event.node for event in events[:stored] if isinstance(event, NodeDone)][
        -1
    ] == "generate"
    assert not any(isinstance(event, Token) for event in events)
    assert isinstance(events[-1], Finished)
    assert events[-1].reply == "Hello there."
