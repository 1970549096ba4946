"""Case files of the `facts` suite: conversations, and what must be known at points of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from evals.suite.case_files import CaseFile, read_files
from evals.suite.case_types import Name, Timestamp
from memory.domain.facts import Category

ANY = "*"

_Names = Annotated[tuple[Name, ...], Field(min_length=1, strict=False)]


class _Part(BaseModel):
    # Fields that only other tools read may stand beside ours.
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


class FactTurn(_Part):
    """One message. Role `user` is a contact, one for each speaker."""

    id: Name
    role: Literal["user", "assistant", "owner", "system"]
    speaker: str = ""
    chat: Literal["direct", "group"] = "direct"
    forwarded: bool = False
    text: str
    timestamp: Timestamp | None = None


class Pattern(_Part):
    """Facts to look for. Key `*` is any key, value `*` any value, a list any of its forms.

    `contact` names the speaker whose fact it is; empty: the first one.
    """

    contact: str = ""
    category: Category
    key: Name
    value: Name | _Names

    @property
    def forms(self) -> tuple[str, ...]:
        """The accepted values."""
        return (self.value,) if isinstance(self.value, str) else self.value


class Check(_Part):
    """What must hold after a turn. `exhaustive`: an active fact of no pattern is wrong.

    `active`: such a fact is active. `inactive`: none is active. `never`: none is or was stored.
    `allowed`: such facts count neither way.
    """

    after: Name
    exhaustive: bool = False
    active: tuple[Pattern, ...] = Field(default=(), strict=False)
    inactive: tuple[Pattern, ...] = Field(default=(), strict=False)
    never: tuple[Pattern, ...] = Field(default=(), strict=False)
    allowed: tuple[Pattern, ...] = Field(default=(), strict=False)

    @model_validator(mode="after")
    def _asks_for_values(self) -> Self:
        if any(ANY in pattern.forms for pattern in self.active):
            raise ValueError("active: a value to be found cannot be '*'")
        return self

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """Every pattern."""
        return (*self.active, *self.inactive, *self.never, *self.allowed)


class FactCase(_Part):
    """A conversation in order, with checks after some of its turns, in order too."""

    case_id: Name
    lang: Name
    tags: tuple[Name, ...] = Field(default=(), strict=False)
    turns: tuple[FactTurn, ...] = Field(min_length=1, strict=False)
    checks: tuple[Check, ...] = Field(min_length=1, strict=False)

    @property
    def speakers(self) -> tuple[str, ...]:
        """The contacts, in order of their first message."""
        return tuple(dict.fromkeys(turn.speaker for turn in self.turns if turn.role == "user"))

    @model_validator(mode="after")
    def _refers_to_itself(self) -> Self:
        ids = [turn.id for turn in self.turns]
        for one in ids:
            if ids.count(one) > 1:
                raise ValueError(f"turn id {one!r} is used twice")
        reached = -1
        for check in self.checks:
            if check.after not in ids:
                raise ValueError(f"a check is after {check.after!r}, which no turn has")
            if ids.index(check.after) < reached:
                raise ValueError(f"the check after {check.after!r} comes too late in the list")
            reached = ids.index(check.after)
            for pattern in check.patterns:
                if pattern.contact and pattern.contact not in self.speakers:
                    raise ValueError(f"contact {pattern.contact!r} says nothing in the case")
        return self


def numbered(case: FactCase) -> Iterator[tuple[str, Pattern]]:
    """Yield the scored patterns of a case with their ids, such as `check2/active:1`."""
    for number, check in enumerate(case.checks, start=1):
        for kind in ("active", "inactive", "never"):
            patterns: tuple[Pattern, ...] = getattr(check, kind)
            for position, pattern in enumerate(patterns, start=1):
                yield pattern_id(number, kind, position), pattern


def pattern_id(check: int, kind: str, position: int) -> str:
    """Return the id of a pattern, or of another thing of a check; all numbers count from 1."""
    return f"check{check}/{kind}:{position}"


def load_fact_cases(paths: Sequence[Path], limit: int | None = None) -> list[CaseFile[FactCase]]:
    """Read and check case files; keep the first `limit` cases of each.

    Raises:
        BadInputError: a file cannot be read or a line is no case; file, line and what is wrong.
    """
    return read_files(
        paths,
        limit,
        FactCase,
        lambda case: case.case_id,
        lambda case: sum(1 for _ in numbered(case)),
    )
