"""Case files of any suite: one JSON object a line, every line checked before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from evals.errors import BadInputError


class CaseFile(Protocol):
    """A case file as it was read: where, which content, how much is in it."""

    @property
    def path(self) -> str:
        """The path as it was given."""
        ...

    @property
    def sha256(self) -> str:
        """Hash of the content, in hex."""
        ...

    @property
    def count(self) -> int:
        """How many cases are kept of it."""
        ...

    @property
    def items(self) -> int:
        """How many things its cases ask or do."""
        ...


C = TypeVar("C", bound=BaseModel)
F = TypeVar("F")


def read_files(
    paths: Sequence[Path],
    limit: int | None,
    model: type[C],
    make: Callable[[str, str, tuple[C, ...]], F],
    name_of: Callable[[C], str],
) -> list[F]:
    """Read and check case files; keep the first `limit` cases of each.

    Every line is checked, also those beyond the limit.

    Raises:
        BadInputError: a file cannot be read or a line is no case; file, line and what is wrong.
    """
    files = []
    seen: set[str] = set()
    for path in paths:
        content = _read(path)
        cases = tuple(_cases(path, content, model, name_of, seen))
        if not cases:
            raise BadInputError(f"{path}: no case in it")
        files.append(make(str(path), sha256(content).hexdigest(), cases[:limit]))
    return files


def _cases(
    path: Path, content: bytes, model: type[C], name_of: Callable[[C], str], seen: set[str]
) -> Iterator[C]:
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        case = _parse(path, number, line, model)
        if name_of(case) in seen:
            raise BadInputError(f"{path}, line {number}: case_id {name_of(case)!r} is used twice")
        seen.add(name_of(case))
        yield case


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read ({error.strerror or error})") from error


def _parse(path: Path, number: int, line: bytes, model: type[C]) -> C:
    try:
        return model.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        what = first["msg"].removeprefix("Value error, ")
        shown = f"{where}: {what}" if where else what
        raise BadInputError(f"{path}, line {number}: {shown}") from None
