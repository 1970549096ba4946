"""What a chat model answered when it was asked what a message tells, and what of it was refused."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

Mode = Literal["llm", "hybrid"]
"""`llm`: a model reads every message; `hybrid`: what the reader marks and could not settle."""

AnswerStatus = Literal["stated", "ended", "wished"]

SPEAKER: Final = "speaker"

Reason = Literal[
    "garbage",
    "quote",
    "value",
    "unfit",
    "key",
    "not_owner",
    "holder",
    "not_asserted",
    "negated",
    "wished",
    "contradicted",
    "unasked",
    "timeout",
    "unavailable",
    "refused",
]
"""Why something of an answer, or all of it, counts for nothing; see docs/facts-by-models.md."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One fact as a model returned it, with the words of the message that it stands on.

    `whose`: SPEAKER, or somebody else in the message's words.
    """

    key: str
    value: str
    quote: str
    whose: str
    status: AnswerStatus


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of asking about a message whose text had this digest.

    `candidates` None: no answer that can be used came; `is_under_way`: one may still come.
    `reader` names mode and model.
    """

    digest: str
    candidates: tuple[Candidate, ...] | None
    is_under_way: bool = False
    reader: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """What of an answer about one message passed every check; None where asking failed."""

    uid: str
    digest: str
    candidates: tuple[Candidate, ...] | None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A part of an answer that counts for nothing. `key` is empty where it is none of ours."""

    uid: str
    key: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class Rejection:
    """A refusal as it is listed: of which reader's answer, and when."""

    refusal: Refusal
    reader: str
    at: datetime
