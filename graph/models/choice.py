"""Which chat model and which embedder the settings mean. Heavy imports wait until one is meant."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import TYPE_CHECKING

from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr

from graph.settings import BadSettings, Settings
from memory.facts.asking.reader import AskingReader
from memory.ports.reading import Answers, FactReader, SpanReader
from memory.ports.recall import Embedder
from memory.ports.summaries import CallBudget, Summarizer

if TYPE_CHECKING:
    from graph.models.querying import AskedQueryModel


def chat_model(settings: Settings, temperature: float | None = None) -> BaseChatModel:
    """Return the chat model; the offline responder when none is set.

    `temperature` None: the endpoint's own.

    Raises:
        BadSettings: a model is set, but neither a key nor an endpoint.
    """
    if settings.model is None:
        from graph.models.offline.responder import OfflineResponder

        return OfflineResponder()
    key = settings.openai_api_key.get_secret_value()
    if not key and settings.openai_base_url is None:
        raise BadSettings(
            "RECOLLECT_MODEL is set, but neither OPENAI_API_KEY nor OPENAI_BASE_URL is:"
            " set one, or unset RECOLLECT_MODEL for the offline responder."
        )
    from graph.models.endpoint import EndpointChatModel

    return EndpointChatModel(
        model=settings.model,
        api_key=SecretStr(key or "none"),
        base_url=settings.openai_base_url,
        timeout=settings.model_timeout_s,
        temperature=temperature,
        max_retries=0,  # the generate node retries, with back-off
    )


async def embedder(settings: Settings) -> Embedder:
    """Return the embedder, loaded.

    Raises:
        EmbedderUnavailable, EmbedderRefused: its model or its endpoint is not to be had.
    """
    if settings.embeddings is None:
        from memory.minilm.recall import RecallEmbedder

        return await asyncio.to_thread(RecallEmbedder)
    from memory.openai.embeddings import open_openai

    return await open_openai(
        settings.embeddings,
        settings.openai_api_key.get_secret_value(),
        settings.openai_base_url or "",
    )


async def topics_embedder() -> Embedder:
    """Return the embedder that ships, loaded: what tells topics was learnt on its vectors."""
    from memory.minilm.recall import RecallEmbedder

    return await asyncio.to_thread(RecallEmbedder)


async def span_reader(settings: Settings) -> SpanReader | None:
    """Return the reader that ships, loaded; None where the settings do without it.

    Raises:
        EmbedderUnavailable: its model is not to be had.
    """
    return None if settings.capture == "rules" else await asyncio.to_thread(_shipped_reader)


def reader(
    settings: Settings, answers: Answers, learner: FactReader, *, asks_again: bool = False
) -> FactReader:
    """Return who reads facts from messages: `learner`, and a model where one is to be asked.

    `asks_again`: when messages are read again, a model is asked where it gave no answer before.

    Raises:
        BadSettings: a model is to be asked, but neither a key nor an endpoint is set.
    """
    match settings.capture:
        case "rules" | "reader":
            return learner
        case mode:
            pass
    from graph.models.asked import AskedChatModel

    asked = AskedChatModel(chat_model(settings, temperature=0.0), settings.model or "")
    return AskingReader(
        learner,
        asked,
        answers,
        mode,
        settings.capture_calls,
        asks_again=asks_again,
    )


def query_model(settings: Settings) -> AskedQueryModel:
    """Return who words questions anew, and who judges the lines that were found.

    Raises:
        BadSettings: neither a key nor an endpoint is set.
    """
    from graph.models.asked import AskedChatModel
    from graph.models.querying import AskedQueryModel

    model = chat_model(settings, temperature=0.0)
    return AskedQueryModel(AskedChatModel(model, settings.model or ""))


def summarizer(settings: Settings, budget: CallBudget) -> Summarizer:
    """Return who writes summaries of episodes.

    Raises:
        BadSettings: a model is to write them, but neither a key nor an endpoint is set.
    """
    from graph.models.summarizing import AskedSummarizer, Extractor

    if settings.summaries == "extract":
        return Extractor()
    from graph.models.asked import AskedChatModel

    asked = AskedChatModel(chat_model(settings, temperature=0.0), settings.model or "")
    return AskedSummarizer(asked, budget, settings.capture_calls)


async def published_embedder(made_by: str) -> Embedder | None:
    """Return the embedder that shipped before the tuned one, loaded, where it made the vectors."""
    from memory.minilm.embedder import FINGERPRINT, MiniLmEmbedder

    return await asyncio.to_thread(MiniLmEmbedder) if made_by == FINGERPRINT else None


@cache
def _shipped_reader() -> SpanReader:
    """Return the one reader of this process: it holds some 60 MB, and nothing of anybody's."""
    from memory.minilm.reader import MiniLmReader

    return MiniLmReader()
