"""Embeddings from any OpenAI-compatible endpoint, through LangChain."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memory.domain.recalls import Embedded
from memory.errors import EmbedderRefused, EmbedderUnavailable, RecollectError

if TYPE_CHECKING:
    from langchain_openai import OpenAIEmbeddings

DEFAULT_BASE_URL = "https://api.openai.com/v1"

_PROBE = "dimension"
_REQUEST_TIMEOUT_S = 30.0

# Source: OpenAI allows 2,048 inputs a request; local servers often stop far earlier.
_TEXTS_PER_REQUEST = 256

# Source: RFC 9110 and RFC 6585: request timeout, conflict, too many requests.
_TRANSIENT_STATUSES = frozenset({408, 409, 429})


class OpenAIEmbedder:
    """Embeds texts at an endpoint and scales every vector to unit length.

    Build it with `open_openai`, which learns the dimension from the endpoint.
    """

    def __init__(
        self, client: OpenAIEmbeddings, model: str, base_url: str, dimension: int = 0
    ) -> None:
        """Wrap a LangChain client; `dimension` 0 means not known yet."""
        self._client = client
        self._model = model
        self._base_url = base_url
        self._dimension = dimension

    @property
    def fingerprint(self) -> str:
        """Model, dimension and normalisation of the vectors."""
        return f"{self._model}/{self._dimension}/l2"

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return self._dimension

    async def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Embed texts; one unit vector each, in order.

        Raises:
            EmbedderUnavailable: The endpoint cannot be reached, or cannot answer now.
            EmbedderRefused: It refuses for good, or answers with vectors of another number or
                length.
        """
        if not texts:
            return []
        with _translated(self._model, self._base_url):
            # Endpoints refuse empty input.
            rows = await self._client.aembed_documents([text or " " for text in texts])
        if len(rows) != len(texts):
            reason = f"{len(rows)} vectors for {len(texts)} texts"
            raise EmbedderRefused(_line(self._model, self._base_url, reason))
        if not self._dimension:
            self._dimension = len(rows[0])
        for row in rows:
            if len(row) != self._dimension or not row:
                reason = f"a vector of length {len(row)}, expected {self._dimension}"
                raise EmbedderRefused(_line(self._model, self._base_url, reason))
        return [_unit(row) for row in rows]

    @property
    def token_space(self) -> str:
        """Empty: endpoints give no vectors of pieces."""
        return ""

    async def read(self, texts: Sequence[str]) -> list[Embedded]:
        """Embed texts as `embed` does, without their pieces."""
        return [Embedded(vector) for vector in await self.embed(texts)]


async def open_openai(
    model: str, api_key: str, base_url: str = "", *, timeout_s: float = _REQUEST_TIMEOUT_S
) -> OpenAIEmbedder:
    """Connect to an endpoint and learn the model's dimension with one short request.

    An empty `base_url` means OpenAI's own; an empty key suits local servers that want none.

    Raises:
        EmbedderUnavailable, EmbedderRefused: The endpoint cannot be reached, or refuses; the line
            names the setting and the address, never the key.
    """
    # langchain_openai takes seconds to import: only who uses an endpoint pays for it.
    from langchain_openai import OpenAIEmbeddings
    from pydantic import SecretStr

    address = base_url or DEFAULT_BASE_URL
    client = OpenAIEmbeddings(
        model=model,
        api_key=SecretStr(api_key or "none"),
        base_url=address,
        # Counting tokens would download tiktoken's tables and send token ids instead of text.
        check_embedding_ctx_length=False,
        chunk_size=_TEXTS_PER_REQUEST,
        timeout=timeout_s,
    )
    embedder = OpenAIEmbedder(client, model, address)
    await embedder.embed([_PROBE])
    return embedder


@contextmanager
def _translated(model: str, base_url: str) -> Iterator[None]:
    from openai import APIConnectionError, APIStatusError, OpenAIError

    try:
        yield
    except APIStatusError as exc:
        status = exc.status_code
        may_pass = status in _TRANSIENT_STATUSES or status >= 500
        kind: type[RecollectError] = EmbedderUnavailable if may_pass else EmbedderRefused
        # The body may quote part of the key: only the status is told.
        raise kind(_line(model, base_url, f"HTTP {status}")) from exc
    except APIConnectionError as exc:
        raise EmbedderUnavailable(_line(model, base_url, type(exc).__name__)) from exc
    except (OpenAIError, KeyError, TypeError, ValueError) as exc:
        # A server that is not quite compatible surfaces as a parsing error of the client.
        raise EmbedderRefused(_line(model, base_url, type(exc).__name__)) from exc


def _line(model: str, base_url: str, reason: str) -> str:
    return (
        f"RECOLLECT_EMBEDDINGS: {base_url} gives no embeddings of {model} ({reason}): "
        "check model, base URL and key."
    )


def _unit(row: Sequence[float]) -> tuple[float, ...]:
    length = math.sqrt(math.fsum(value * value for value in row))
    return tuple(value / length for value in row) if length else tuple(row)
