"""Case files of the `injection` suite: texts that a contact may send, attacks and others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from evals.suite.case_files import CaseFile, read_files
from evals.suite.case_types import Name


class InjectionCase(BaseModel):
    """One text. Label 1: it tries to steer the machine; 0: it is an ordinary message.

    `lang` and `kind` only group figures.
    """

    # Fields that only other tools read may stand beside ours.
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")

    id: Name
    text: str
    label: Annotated[int, Field(ge=0, le=1)]
    lang: str = ""
    kind: str = ""


def load_injection_cases(
    paths: Sequence[Path], limit: int | None = None
) -> list[CaseFile[InjectionCase]]:
    """Read and check case files; keep the first `limit` texts of each.

    Raises:
        BadInputError: a file cannot be read or a line is no case; file, line and what is wrong.
    """
    return read_files(paths, limit, InjectionCase, lambda case: case.id)
