"""A chat model whose answer leaves only as far as it has passed the check.

Whoever streams a run, here or under LangGraph's server, sees this model's pieces; those of the
model itself are marked as not to be streamed.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langgraph.constants import TAG_NOSTREAM
from pydantic import ConfigDict

from nodes.checks.guard import ReplyGuard
from nodes.use import USED


class CheckedModel(BaseChatModel):
    """One answer of `inner`, through `guard`; made anew for each answer."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    inner: BaseChatModel
    guard: ReplyGuard
    used: list[list[Any]] | None = None
    """Which lines of its prompt the answer used, where the model itself says so."""

    @property
    def _llm_type(self) -> str:
        return "checked"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise TypeError("a checked model is asked asynchronously")

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        # Streamed also where nobody watches: a slow endpoint's silence would count as its failure.
        async for chunk in self.inner.astream(messages, {"tags": [TAG_NOSTREAM]}):
            self._note(chunk)
            self.guard.feed(chunk.text)
        answer = AIMessage(self.guard.finish().text)
        return ChatResult(generations=[ChatGeneration(message=answer)])

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        async for chunk in self.inner.astream(messages, {"tags": [TAG_NOSTREAM]}):
            self._note(chunk)
            if shown := self.guard.feed(chunk.text):
                yield ChatGenerationChunk(message=AIMessageChunk(content=shown))
        # Always one: an answer without any chunk is an error of its own to LangChain.
        yield ChatGenerationChunk(message=AIMessageChunk(content=self.guard.rest()))

    def _note(self, chunk: BaseMessage) -> None:
        if USED in chunk.response_metadata:
            self.used = chunk.response_metadata[USED]
