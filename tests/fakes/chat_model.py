"""A chat model that answers from a script and keeps the prompts that it was given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr


class ScriptedChatModel(BaseChatModel):
    """Answers with the next scripted text or raises the next scripted error; then `ok N`."""

    model_name: str = "scripted"
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
        **kwargs: Any,  # Any: LangChain's own signature
    ) -> ChatResult:
        self._prompts.append(messages)
        answer = self._script.pop(0) if self._script else f"ok {len(self._prompts)}"
        if isinstance(answer, Exception):
            raise answer
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=answer))])
