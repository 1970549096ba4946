"""Case files of the `mood` suite: messages, and how each feels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from evals.suite.case_files import CaseFile, read_files
from evals.suite.case_types import Name


class MoodCase(BaseModel):
    """One message and its label."""

    # Fields that only other tools read may stand beside ours.
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")

    id: Name
    text: str
    label: Literal["frustrated", "sad", "anxious", "excited", "confused", "neutral"]


def load_moods(paths: Sequence[Path], limit: int | None = None) -> list[CaseFile[MoodCase]]:
    """Read and check case files; keep the first `limit` messages of each.

    Raises:
        BadInputError: a file cannot be read or a line is no case; file, line and what is wrong.
    """
    return read_files(paths, limit, MoodCase, lambda case: case.id)
