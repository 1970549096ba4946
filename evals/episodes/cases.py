"""Case files of the `episodes` suite: dialogues with the turns where a new topic begins."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from evals.suite.case_files import CaseFile, read_files
from evals.suite.case_types import Name, Timestamp


class _Part(BaseModel):
    # Fields that only other tools read may stand beside ours.
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


class DialogueTurn(_Part):
    """One message; without a timestamp no time passes."""

    id: Name
    text: str
    timestamp: Timestamp | None = None


class Dialogue(_Part):
    """A dialogue in order; `boundaries` are the indices of the first turns of new segments.

    `either`: where one may begin or not; what is found there counts neither way.
    """

    case_id: Name
    set: Name = "all"
    turns: tuple[DialogueTurn, ...] = Field(min_length=1, strict=False)
    boundaries: tuple[int, ...] = Field(strict=False)
    either: tuple[int, ...] = Field(default=(), strict=False)

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        seen: set[str] = set()
        for turn in self.turns:
            if turn.id in seen:
                raise ValueError(f"turn id {turn.id!r} is used twice")
            seen.add(turn.id)
        for one in self.boundaries:
            if not 0 < one < len(self.turns):
                raise ValueError(
                    f"boundaries: {one} is no turn that a new segment can begin with "
                    f"(1 to {len(self.turns) - 1})"
                )
        if any(later <= earlier for earlier, later in pairwise(self.boundaries)):
            raise ValueError("boundaries: must ascend, each once")
        zones = {turn.timestamp.tzinfo is None for turn in self.turns if turn.timestamp}
        if len(zones) > 1:
            raise ValueError("timestamps: all with a time zone or none")
        return self


def load_dialogues(paths: Sequence[Path], limit: int | None = None) -> list[CaseFile[Dialogue]]:
    """Read and check case files; keep the first `limit` dialogues of each.

    Raises:
        BadInputError: a file cannot be read or a line is no case; file, line and what is wrong.
    """
    return read_files(
        paths, limit, Dialogue, lambda case: case.case_id, lambda case: len(case.turns)
    )
