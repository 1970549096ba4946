"""The offline chat model: LangChain's interface around `answers`. No network, no chance."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    SystemMessage,
)
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

from graph.models.offline.answers import Heard, answer
from memory.recall.block import MemoryBlock
from nodes.prompts import FENCE_OPEN, read_memory

_GROUP_LINE = re.compile(r"([^\s:][^:\n]{0,39}): (\S.*)", re.DOTALL)
_WORD = re.compile(r"\s*\S+\s*")


class OfflineResponder(BaseChatModel):
    """Answers from the memory block and the window of the prompt it is given, and says so.

    LangChain gives each run's message an id of its own, the same on every chunk of a stream.
    """

    model_name: str = "offline"

    @property
    def _llm_type(self) -> str:
        return "offline"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # Any: LangChain's call options, none of which applies here
    ) -> ChatResult:
        message = AIMessage(
            content=respond(messages), response_metadata={"model_name": self.model_name}
        )
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # Any: as in _generate
    ) -> ChatResult:
        return self._generate(messages)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # Any: as in _generate
    ) -> Iterator[ChatGenerationChunk]:
        metadata = {"model_name": self.model_name}
        for word in _WORD.findall(respond(messages)):
            chunk = AIMessageChunk(content=word, response_metadata=metadata)
            metadata = {}  # chunks are added up: the name belongs to the first alone
            yield ChatGenerationChunk(message=chunk)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # Any: as in _generate
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in self._stream(messages):
            yield chunk


def respond(messages: Sequence[BaseMessage]) -> str:
    """Return the reply to a prompt: the last human message, answered from the system message."""
    return answer(_heard(messages), _memory(messages))


def _memory(messages: Sequence[BaseMessage]) -> MemoryBlock:
    for message in messages:
        if isinstance(message, SystemMessage) and FENCE_OPEN in message.text:
            # The block ends the prompt, and no text inside it can open a fence: a persona that
            # speaks of the tag comes before.
            return read_memory(message.text[message.text.rindex(FENCE_OPEN) :])
    return MemoryBlock()


def _heard(messages: Sequence[BaseMessage]) -> Heard:
    texts = [message.text for message in messages if isinstance(message, HumanMessage)]
    if not texts:
        return Heard("")
    lines = [_GROUP_LINE.fullmatch(text) for text in texts]
    named = [(line.group(1), line.group(2)) for line in lines if line]
    if len(named) < len(texts):
        return Heard(texts[-1], "", tuple(reversed(texts[:-1])))
    asker, text = named[-1]
    earlier = tuple(said for name, said in reversed(named[:-1]) if name == asker)
    return Heard(text, asker, earlier)
