"""Case files of the `open_loops` suite: chats, and what is open in them after some of the turns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from evals.suite.case_files import CaseFile, read_files
from evals.suite.case_types import Name, Timestamp

Day = Annotated[
    str, StringConstraints(pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$")
]


class _Part(BaseModel):
    # Fields that only other tools read may stand beside ours.
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


class LoopTurn(_Part):
    """One message."""

    id: Name
    role: Literal["user", "assistant"]
    speaker: Name
    text: str
    timestamp: Timestamp


class LabelledLoop(_Part):
    """What a turn left open; `by`: who has to act; `due`: the day, where one is set."""

    turn: Name
    kind: Literal["promise", "request", "question", "date"]
    by: str = ""
    due: Day | None = None


class LoopCheck(_Part):
    """After a turn: what must be listed, what must be no longer, and what may be or not."""

    after: Name
    open: tuple[LabelledLoop, ...] = Field((), strict=False)
    closed: tuple[LabelledLoop, ...] = Field((), strict=False)
    allowed: tuple[LabelledLoop, ...] = Field((), strict=False)


class OpenLoopCase(_Part):
    """A chat in order, and its checks; anything listed that no check names counts as wrong."""

    case_id: Name
    lang: Name
    tags: tuple[Name, ...] = Field((), strict=False)
    timezone: Name
    turns: tuple[LoopTurn, ...] = Field(min_length=1, strict=False)
    checks: tuple[LoopCheck, ...] = Field(min_length=1, strict=False)

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        try:
            ZoneInfo(self.timezone)
        except (ZoneInfoNotFoundError, ValueError):
            raise ValueError(f"timezone: {self.timezone!r} is none") from None
        place = {turn.id: number for number, turn in enumerate(self.turns)}
        if len(place) < len(self.turns):
            raise ValueError("turns: an id is used twice")
        if len({turn.timestamp.tzinfo is None for turn in self.turns}) > 1:
            raise ValueError("timestamps: all with a time zone or none")
        for check in self.checks:
            if check.after not in place:
                raise ValueError(f"checks: there is no turn {check.after!r}")
            for loop in (*check.open, *check.closed, *check.allowed):
                if place.get(loop.turn, len(place)) > place[check.after]:
                    raise ValueError(f"checks: there is no turn {loop.turn!r} by {check.after!r}")
        return self


def load_open_loop_cases(
    paths: Sequence[Path], limit: int | None = None
) -> list[CaseFile[OpenLoopCase]]:
    """Read and check case files; keep the first `limit` chats of each.

    Raises:
        BadInputError: a file cannot be read or a line is no case; file, line and what is wrong.
    """
    return read_files(
        paths, limit, OpenLoopCase, lambda case: case.case_id, lambda case: len(case.turns)
    )
