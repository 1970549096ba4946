"""The scripted chat model, of benchmarks and of tests: it answers at once and costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr

CALL = "{call}"
"""In `otherwise`: the number of the call, from 1."""


class ScriptedChatModel(BaseChatModel):
    """Answers with the next scripted text or raises the next scripted error.

    Without a script it answers `otherwise`. `on_call` is told of each call before the answer, by
    LangGraph's metadata of the run.
    """

    model_name: str = "scripted"
    otherwise: str = f"ok {CALL}"
    on_call: Callable[[Mapping[str, Any]], None] | None = None
    _script: list[str | Exception] = PrivateAttr(default_factory=list)
    _prompts: list[list[BaseMessage]] = PrivateAttr(default_factory=list)

    def script(self, *answers: str | Exception) -> None:
        """Set what the next calls give."""
        self._script = list(answers)

    @property
    def prompts(self) -> Sequence[list[BaseMessage]]:
        """Every prompt so far, oldest first."""
        return self._prompts

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # Any: LangChain's signature
    ) -> ChatResult:
        del stop, kwargs
        return self._answer(messages, run_manager.metadata if run_manager else {})

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # Any: LangChain's signature
    ) -> ChatResult:
        # The base class would go through a thread, which costs more than this model does.
        del stop, kwargs
        return self._answer(messages, run_manager.metadata if run_manager else {})

    def _answer(self, messages: list[BaseMessage], metadata: Mapping[str, Any]) -> ChatResult:
        self._prompts.append(messages)
        if self.on_call is not None:
            self.on_call(metadata)
        call = str(len(self._prompts))
        answer = self._script.pop(0) if self._script else self.otherwise.replace(CALL, call)
        if isinstance(answer, Exception):
            raise answer
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=answer))])
