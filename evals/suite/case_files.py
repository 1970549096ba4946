"""Case files of any suite: one JSON object a line, every line checked before anything runs.

Files are read as a stream: what is held is the kept cases and one line.
"""

from __future__ import annotations

import codecs
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from evals.converters.sniffing import HEAD_BYTES, hint
from evals.errors import BadInputError

MAX_LINE_BYTES = 512 * 1024 * 1024
"""A longer line is no case of anything, but a file without line ends."""


C = TypeVar("C", bound=BaseModel)
C_co = TypeVar("C_co", bound=BaseModel, covariant=True)


@dataclass(frozen=True, slots=True)
class CaseFile(Generic[C_co]):
    """A case file as it was read: where, hash of its content in hex, the cases that are kept.

    `items`: how many things these cases ask or do.
    """

    path: str
    sha256: str
    cases: tuple[C_co, ...]
    items: int

    @property
    def count(self) -> int:
        """How many cases are kept of it."""
        return len(self.cases)


@dataclass(slots=True)
class _Reading:
    """What was seen so far: names in all files, remarks on the cases of this one."""

    seen: set[str] = field(default_factory=set)
    remarks: list[str] = field(default_factory=list)


def read_files(
    paths: Sequence[Path],
    limit: int | None,
    model: type[C],
    name_of: Callable[[C], str],
    items_of: Callable[[C], int] = lambda _: 1,
    remark: Callable[[C], str | None] | None = None,
) -> list[CaseFile[C]]:
    """Read and check case files; keep the first `limit` cases of each.

    Every line is checked, also those beyond the limit. `remark` says what is odd about a case that
    can be used all the same: the first one of a file is shown on stderr, with how many there are.

    Raises:
        BadInputError: a file cannot be read or a line is no case; file, line and what is wrong.
    """
    files = []
    reading = _Reading()
    for path in paths:
        kept: list[C] = []
        digest = sha256()
        count = 0
        reading.remarks.clear()
        for number, line in _lines(path, digest.update):
            case = _parse(path, number, line, model, is_first=count == 0)
            name = name_of(case)
            if name in reading.seen:
                kind = "case_id" if "case_id" in model.model_fields else "id"
                raise BadInputError(f"{path}, line {number}: {kind} {name!r} is used twice")
            reading.seen.add(name)
            if remark and (said := remark(case)):
                reading.remarks.append(f"{path}, line {number}: {said}")
            count += 1
            if limit is None or len(kept) < limit:
                kept.append(case)
        if not count:
            raise BadInputError(f"{path}: no case in it")
        _show(reading.remarks)
        items = sum(map(items_of, kept))
        files.append(CaseFile(str(path), digest.hexdigest(), tuple(kept), items))
    return files


def cases_of(files: Sequence[CaseFile[BaseModel]], model: type[C]) -> list[C]:
    """Return the cases of all files, in order."""
    return [case for file in files for case in file.cases if isinstance(case, model)]


def _lines(path: Path, taken: Callable[[bytes], None]) -> Iterator[tuple[int, bytes]]:
    """Yield lines that hold something, with their numbers; a mark of UTF-8 at the start is cut."""
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                if len(line) > MAX_LINE_BYTES:
                    raise BadInputError(f"{path}, line {number}: longer than 512 MiB")
                taken(line)
                if number == 1:
                    _check_encoding(path, line)
                    line = line.removeprefix(codecs.BOM_UTF8)
                if not line.isspace() and line:
                    yield number, line
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read ({error.strerror or error})") from error


def _check_encoding(path: Path, line: bytes) -> None:
    if line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise BadInputError(f"{path}: looks like UTF-16; save it as UTF-8")


def _parse(path: Path, number: int, line: bytes, model: type[C], *, is_first: bool) -> C:
    try:
        # A whole upstream file can be one line: it need not be parsed to see that it is a list.
        return model.model_validate_json(b"[]" if line[:256].lstrip().startswith(b"[") else line)
    except ValidationError as error:
        if is_first and (looks := hint(_head(path, line), path, set(model.model_fields))):
            raise BadInputError(f"{path}: {looks}") from None
        raise BadInputError(f"{path}, line {number}: {_what(line, error)}") from None


def _what(line: bytes, error: ValidationError) -> str:
    if b"\x00" in line:
        return f"has a NUL byte (column {line.index(0) + 1}); is it a text file?"
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as wrong:
        return f"is not UTF-8 (column {wrong.start + 1}); save the file as UTF-8"
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    what = first["msg"].removeprefix("Value error, ")
    if first["type"] == "json_invalid" and "EOF" in what:
        what += "; a case is one JSON object on one line"
    return f"{where}: {what}" if where else what


def _head(path: Path, line: bytes) -> bytes:
    # A pipe cannot be read again; its first line must do.
    if not path.is_file():
        return line[:HEAD_BYTES]
    with path.open("rb") as file:
        return file.read(HEAD_BYTES)


def _show(remarks: Sequence[str]) -> None:
    if not remarks:
        return
    others = f" ({len(remarks) - 1:,} more cases like it)" if len(remarks) > 1 else ""
    sys.stderr.write(f"recollect eval: {remarks[0]}{others}\n")
