"""A chat model that is asked for JSON by a schema, apart from any chat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import ValidationError
from typing_extensions import override

from memory.errors import ModelFailed, ModelRefused
from memory.ports.reading import AskedModel


class AskedChatModel(AskedModel):
    """`AskedModel` on a chat model of LangChain's."""

    def __init__(self, model: BaseChatModel, name: str) -> None:
        """Take a model whose failures are errors of ours, and what it is called."""
        self._model = model
        self._name = name

    @property
    @override
    def name(self) -> str:
        return self._name

    @override
    async def answer(self, instructions: str, question: str, schema: Mapping[str, Any]) -> str:
        asked = self._model.bind(
            response_format={
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": dict(schema)},
            }
        )
        try:
            answer = await asked.ainvoke([SystemMessage(instructions), HumanMessage(question)])
        except ValidationError as error:
            raise ModelFailed from error
        if answer.additional_kwargs.get("refusal"):
            raise ModelRefused("The model refuses to answer.")
        return str(answer.text)
