"""A result as it is read: what the JSON of schema 1 holds, checked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evals.errors import BadInputError
from evals.reports.result import SCHEMA, Run, as_json
from memory.errors import RecollectError

Saved = dict[str, float | None]


class _Part(BaseModel):
    # Keys that other versions add are left aside.
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class SavedFound(_Part):
    """One thing that was found. `rank` is given where it is not its place in the list.

    What else a suite tells of it, such as a fact's status, is kept as it is.
    """

    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False)

    id: str = ""
    rank: int | None = None
    score: float | None = None
    parts: dict[str, float] = {}


class SavedItem(_Part):
    """One scored thing; see `evals.suite.run.Item`."""

    case: str
    item: str
    groups: dict[str, str] = {}
    scores: Saved = {}
    evidence: tuple[str, ...] = ()
    found: tuple[SavedFound, ...] = ()


class SavedViolation(_Part):
    """What the `loops` suite saw go wrong in one order of a case's deliveries."""

    case: str
    order: tuple[int | str, ...] = ()
    what: tuple[str, ...] = ()


class SavedSystem(_Part):
    """One system's figures, items and what a report draws."""

    metrics: Saved
    by: dict[str, dict[str, Saved]] = {}
    items: tuple[SavedItem, ...] = ()
    samples: dict[str, tuple[float, ...]] = {}
    growth: tuple[dict[str, float | None], ...] = ()
    k: int | None = None
    violations: tuple[SavedViolation, ...] = ()


class SavedCases(_Part):
    """One case file of a run."""

    file: str
    sha256: str
    cases: int
    items: int


class SavedFailure(_Part):
    """A case that could not be run."""

    case: str
    system: str
    reason: str


class SavedResult(_Part):
    """A whole result."""

    schema_: Annotated[Literal[1], Field(alias="schema")]
    suite: str
    version: str = "unknown"
    started: str = ""
    seconds: float = 0.0
    seed: int = 0
    limit: int | None = None
    command: str = ""
    environment: dict[str, str] = {}
    cases: tuple[SavedCases, ...] = ()
    model: str | None = None
    embedder: str = ""
    stores: dict[str, str] = {}
    systems: dict[str, SavedSystem]
    failed: tuple[SavedFailure, ...] = ()
    skipped: dict[str, str] = {}
    notes: tuple[str, ...] = ()
    partial: bool = False


def saved_of(run: Run) -> SavedResult:
    """Return a run as its JSON would be read.

    Raises:
        RecollectError: a suite gave what no result may hold.
    """
    try:
        return SavedResult.model_validate(as_json(run))
    except ValidationError as error:
        raise RecollectError(f"no page of this run: {_what_is_wrong(error)}") from None


def read_result(path: Path) -> SavedResult:
    """Read a result that `--json` wrote.

    Raises:
        BadInputError: it cannot be read, or is no result of this schema.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read ({error.strerror or error})") from error
    try:
        return SavedResult.model_validate_json(content)
    except ValidationError as error:
        raise BadInputError(f"{path}: {_what_is_wrong(error)}") from None


def _what_is_wrong(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False)[0]
    given: Any = first["input"]  # whatever stood in the file
    if first["loc"][:1] == ("schema",) and first["type"] == "literal_error":
        return f"a result of schema {str(given)[:20]!r}; this version reads schema {SCHEMA}"
    where = ".".join(str(part) for part in first["loc"])
    reason = f"{where}: {first['msg']}" if where else str(first["msg"])
    return f"no result of `recollect eval SUITE --json OUT` ({reason.splitlines()[0]})"
