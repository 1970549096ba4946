"""The offline chat model: LangChain's interface around `answers`. No network, no chance."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
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

from graph.models.offline.answers import Answer, Heard, answer_with_sources
from memory.recall.block import MemoryBlock
from nodes.prompts import FENCE_OPEN, NOT_KEPT, read_memory
from nodes.use import USED
from nodes.window import ANSWERED_NOW

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
        told = respond(messages)
        metadata = {"model_name": self.model_name, USED: [list(each) for each in sorted(told.used)]}
        message = AIMessage(content=told.text, response_metadata=metadata)
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
        told = respond(messages)
        metadata = {"model_name": self.model_name, USED: [list(each) for each in sorted(told.used)]}
        for word in _WORD.findall(told.text):
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


def respond(messages: Sequence[BaseMessage]) -> Answer:
    """Return the reply to a prompt: the last human message, answered from the system message."""
    # What the owner or another program wrote bears a name: it is no reply of the agent's.
    is_first = not any(isinstance(line, AIMessage) and not line.name for line in messages)
    heard = replace(_heard(messages), is_first=is_first, is_kept=_is_kept(messages))
    return answer_with_sources(heard, _memory(messages))


def _is_kept(messages: Sequence[BaseMessage]) -> bool:
    """Tell whether the last message is kept, by a line of the prompt before the memory block."""
    rules = (line.text for line in messages if isinstance(line, SystemMessage))
    return not any(NOT_KEPT in text.rpartition(FENCE_OPEN)[0].splitlines() for text in rules)


def _memory(messages: Sequence[BaseMessage]) -> MemoryBlock:
    for message in messages:
        if isinstance(message, SystemMessage) and FENCE_OPEN in message.text:
            # The block ends the prompt, and no text inside it can open a fence: a persona that
            # speaks of the tag comes before.
            return read_memory(message.text[message.text.rindex(FENCE_OPEN) :])
    return MemoryBlock()


def _heard(messages: Sequence[BaseMessage]) -> Heard:
    """Return what is answered: the last human line, with those of its burst by the same person."""
    window = [message for message in messages if not isinstance(message, SystemMessage)]
    said = [(n, line) for n, line in enumerate(window) if isinstance(line, HumanMessage)]
    if not said:
        return Heard("")
    asker, texts = "", [str(line.text) for _, line in said]
    named = [line for text in texts if (line := _GROUP_LINE.fullmatch(text))]
    if len(named) == len(said):
        asker = str(named[-1][1])
        said = [each for each, line in zip(said, named, strict=True) if line[1] == asker]
        texts = [str(line[2]) for line in named if line[1] == asker]
    first = len(said) - 1
    while first and said[first - 1][1].additional_kwargs.get(ANSWERED_NOW):
        first -= 1
    places = tuple(n for n, _ in said[:first])
    return Heard("\n".join(texts[first:]), asker, tuple(texts[:first][::-1]), places[::-1])
