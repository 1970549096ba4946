"""Ports of the two stages of a search that a chat model may add: before it, and after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Spoken(NamedTuple):
    """A line of a chat as a model is shown it. `by_asker`: whoever asks said it."""

    speaker: str
    text: str
    when: str = ""
    by_asker: bool = False


class Rewriter(Protocol):
    """Words a question anew, so that it can be searched for without the chat around it."""

    async def rewrite(self, question: str, before: Sequence[Spoken]) -> list[str]:
        """Return at most three queries that stand alone; none where there is nothing to add.

        `before`: the lines before the question, oldest first.

        Raises:
            ModelUnavailable: it cannot be had now.
            ModelRefused, ModelFailed: it refuses, or answers nothing that can be used.
        """
        ...


class Reranker(Protocol):
    """Tells which of the lines that were found answer a question best."""

    async def rank(self, question: str, lines: Sequence[Spoken]) -> list[int]:
        """Return the indexes of the lines that answer, from 0, best first, each once.

        Raises:
            ModelUnavailable: it cannot be had now.
            ModelRefused, ModelFailed: it refuses, or answers nothing that can be used.
        """
        ...
