"""Case files of the `summaries` suite: episodes, and what a summary of each must hold."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from evals.suite.case_files import CaseFile, read_files
from evals.suite.case_types import Name, Timestamp
from memory.domain.episodes import Spoken

Kind = Literal["fact", "decision", "todo", "question"]
Form = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]


class _Part(BaseModel):
    # Fields that only other tools read may stand beside ours.
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


class EpisodeTurn(_Part):
    """One message of an episode."""

    id: Name
    role: Literal["user", "assistant"]
    speaker: Name
    text: str
    timestamp: Timestamp


class Held(_Part):
    """One thing that a summary must hold: of every list in `holds` at least one form."""

    kind: Kind
    turns: tuple[Name, ...] = Field(min_length=1, strict=False)
    text: str
    holds: tuple[Annotated[tuple[Form, ...], Field(min_length=1, strict=False)], ...] = Field(
        min_length=1, strict=False
    )
    weight: int = Field(default=1, ge=1, le=2)


class SummaryCase(_Part):
    """An episode in the order of time, and its items."""

    episode_id: Name
    lang: Name
    tags: tuple[str, ...] = Field(default=(), strict=False)
    turns: tuple[EpisodeTurn, ...] = Field(min_length=1, strict=False)
    items: tuple[Held, ...] = Field(min_length=1, strict=False)

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        ids = [turn.id for turn in self.turns]
        for one in ids:
            if ids.count(one) > 1:
                raise ValueError(f"turn id {one!r} is used twice")
        for item in self.items:
            for one in item.turns:
                if one not in ids:
                    raise ValueError(f"items: {one!r} is no turn")
        zones = {turn.timestamp.tzinfo is None for turn in self.turns}
        if len(zones) > 1:
            raise ValueError("timestamps: all with a time zone or none")
        return self

    @property
    def style(self) -> str:
        """What its tags say of its style: `short` or `long`."""
        found = (tag.partition(":")[2] for tag in self.tags if tag.startswith("style:"))
        return next(found, "none")

    def said(self) -> list[Spoken]:
        """Return the turns as an episode's messages."""
        return [
            Spoken(
                turn.id,
                turn.speaker,
                turn.text,
                turn.timestamp if turn.timestamp.tzinfo else turn.timestamp.replace(tzinfo=UTC),
                turn.role == "assistant",
            )
            for turn in self.turns
        ]


def load_summary_cases(
    paths: Sequence[Path], limit: int | None = None
) -> list[CaseFile[SummaryCase]]:
    """Read and check case files; keep the first `limit` episodes of each.

    Raises:
        BadInputError: a file cannot be read or a line is no case; file, line and what is wrong.
    """
    return read_files(
        paths, limit, SummaryCase, lambda case: case.episode_id, lambda case: len(case.turns)
    )
