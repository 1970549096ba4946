"""Case files of the `recall` suite: one JSON object a line, checked before anything is ingested."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from evals.suite.case_files import CaseFile, read_files
from evals.suite.case_types import Name, Timestamp


class _Part(BaseModel):
    # Fields that only other tools read may stand beside ours.
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


class CaseTurn(_Part):
    """One message of a case.

    Without a timestamp it follows its predecessor by a minute; the first one then comes at the
    start of 2026.
    """

    id: Name
    session_id: Name
    role: Literal["user", "assistant"]
    speaker: str = ""
    text: str
    timestamp: Timestamp | None = None


class Question(_Part):
    """One question. No evidence at all: the right answer is to abstain.

    `answer`: what a right answer says; without it, or empty, no answer is generated and judged.
    """

    id: Name
    question: Name
    category: Name = "all"
    evidence: tuple[str, ...] = Field(default=(), strict=False)
    evidence_sessions: tuple[str, ...] = Field(default=(), strict=False)
    stale: tuple[str, ...] = Field(default=(), strict=False)
    current: tuple[str, ...] = Field(default=(), strict=False)
    answer: str | int | float | None = None

    @property
    def reference(self) -> str:
        """The right answer as text; empty when the case does not say."""
        return "" if self.answer is None else str(self.answer).strip()

    @property
    def is_answerable(self) -> bool:
        """Whether the case holds evidence for an answer."""
        return bool(self.evidence or self.evidence_sessions)


class RecallCase(_Part):
    """A conversation in order, and the questions asked after its end.

    `lang` and `style` say what its figures are grouped by, where a file tells them.
    """

    case_id: Name
    lang: str = ""
    style: str = ""
    turns: tuple[CaseTurn, ...] = Field(min_length=1, strict=False)
    questions: tuple[Question, ...] = Field(strict=False)

    @model_validator(mode="after")
    def _refers_to_itself(self) -> Self:
        turn_ids = _unique("turn", (turn.id for turn in self.turns))
        _unique("question", (question.id for question in self.questions))
        sessions = {turn.session_id for turn in self.turns}
        for question in self.questions:
            for name in ("evidence", "stale", "current"):
                _known(question.id, name, getattr(question, name), turn_ids)
            _known(question.id, "evidence_sessions", question.evidence_sessions, sessions)
        return self


def load_cases(paths: Sequence[Path], limit: int | None = None) -> list[CaseFile[RecallCase]]:
    """Read and check case files; keep the first `limit` cases of each.

    Every line is checked, also those beyond the limit.

    Raises:
        BadInputError: a file cannot be read or a line is no case; file, line and what is wrong.
    """
    return read_files(
        paths,
        limit,
        RecallCase,
        lambda case: case.case_id,
        lambda case: len(case.questions),
        remark=_disorder,
    )


def _disorder(case: RecallCase) -> str | None:
    """Say where time runs backwards. It may: turns go in as they stand, time ranks them."""
    last: datetime | None = None
    for turn in case.turns:
        if turn.timestamp is None:
            continue
        time = turn.timestamp if turn.timestamp.tzinfo else turn.timestamp.replace(tzinfo=UTC)
        if last is not None and time < last:
            return (
                f"turn {turn.id!r} of {case.case_id!r} is earlier than one before it;"
                " turns are imported as they stand in the file"
            )
        last = time
    return None


def _unique(kind: str, ids: Iterable[str]) -> set[str]:
    seen: set[str] = set()
    for one in ids:
        if one in seen:
            raise ValueError(f"{kind} id {one!r} is used twice")
        seen.add(one)
    return seen


def _known(question_id: str, field: str, ids: Iterable[str], known: set[str]) -> None:
    for one in ids:
        if one not in known:
            raise ValueError(f"question {question_id!r}: {field} names {one!r}, which no turn has")
