"""Case files of the `mood` suite: messages, and how each feels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from evals.case_files import read_files
from evals.case_types import Name


class MoodCase(BaseModel):
    """One message and its label."""

    # Fields that only other tools read may stand beside ours.
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")

    id: Name
    text: str
    label: Literal["frustrated", "sad", "anxious", "excited", "confused", "neutral"]


@dataclass(frozen=True, slots=True)
class MoodFile:
    """A case file as it was read: where, which content, what in it."""

    path: str
    sha256: str
    cases: tuple[MoodCase, ...]

    @property
    def count(self) -> int:
        """How many messages are kept of it."""
        return len(self.cases)

    @property
    def items(self) -> int:
        """How many messages are kept of it."""
        return len(self.cases)


def load_moods(paths: Sequence[Path], limit: int | None = None) -> list[MoodFile]:
    """Read and check case files; keep the first `limit` messages of each.

    Raises:
        BadInputError: a file cannot be read or a line is no case; file, line and what is wrong.
    """
    return read_files(paths, limit, MoodCase, MoodFile, lambda case: case.id)
