"""Reading upstream files: JSON, JSON arrays as a stream, tables."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

Row = dict[str, Any]  # Any: JSON
"""A line of a case file."""
Left = Counter[str]
"""What was left out, by reason."""

_CHUNK = 1 << 20
_MAX_ELEMENT = 1 << 28
"""Characters; an element of an array that has not ended by then never will."""
T = TypeVar("T")


class Unfit(Exception):
    """A source is not in the format that was named; the text says what is amiss."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """A data set of others: what it is, and how its own files become cases.

    `source` says what `convert` takes. `convert` yields lines of `suite`'s format in the source's
    order, and counts what it leaves out; it raises `Unfit`.
    """

    name: str
    title: str
    suite: str
    measures: str
    where: str
    licence: str
    source: str
    convert: Callable[[Path, Left], Iterator[Row]]


class Part(BaseModel):
    """A part of an upstream file, of which only the fields that are needed are read."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)


def fit(kind: type[T], value: object, where: str) -> T:
    """Return JSON as a typed value.

    Raises:
        Unfit: it is not of this shape; with `where` and the field.
    """
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        path = ".".join(str(part) for part in (where, *first["loc"]) if part != "")
        raise Unfit(f"{path or 'all of it'}: {first['msg']}") from None


def read_text(path: Path) -> str:
    """Return a text file; raises `Unfit` if it is not UTF-8."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unfit(f"not UTF-8 at byte {error.start:,}") from None


def read_json(path: Path) -> Any:  # Any: JSON
    """Return a JSON file; raises `Unfit` if it is none."""
    try:
        return json.loads(read_text(path))
    except ValueError as error:
        raise Unfit(f"not JSON ({error})") from None


def json_items(path: Path) -> Iterator[Any]:  # Any: JSON
    """Yield the elements of a JSON array, one in memory at a time.

    Raises:
        Unfit: not a JSON array.
    """
    decoder = json.JSONDecoder()
    with path.open(encoding="utf-8-sig") as file:
        text = _more(file, "").lstrip()
        if not text.startswith("["):
            raise Unfit("not a JSON array")
        at = 1
        while True:
            at = _skip(text, at)
            if text.startswith("]", at):
                return
            try:
                value, at = decoder.raw_decode(text, at)
            except ValueError as error:
                # What is read doubles, so that a long element is not parsed again too often.
                rest = text[at:]
                text, at = _more(file, rest, max(_CHUNK, len(rest))), 0
                if len(text) == len(rest) or len(rest) > _MAX_ELEMENT:
                    raise Unfit(f"the JSON array breaks off or is broken ({error})") from None
                continue
            yield value


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n,":
        at += 1
    return at


def _more(file: TextIO, text: str, size: int = _CHUNK) -> str:
    try:
        return text + file.read(size)
    except UnicodeDecodeError as error:
        raise Unfit(f"not UTF-8 ({error.reason})") from None


def table(path: Path, columns: tuple[str, ...]) -> Iterator[Row]:
    """Yield the rows of a CSV file, JSON lines or a Parquet file, with at least these columns.

    Raises:
        Unfit: not such a file, a column is missing, or Parquet cannot be read here.
    """
    read = {".parquet": _parquet, ".csv": _csv}.get(path.suffix.lower(), _json_lines)
    for number, row in enumerate(read(path), start=1):
        for name in columns:
            if name not in row:
                raise Unfit(f"row {number} has no {name!r}, but {', '.join(row) or 'nothing'}")
        yield row


def _csv(path: Path) -> Iterator[Row]:
    csv.field_size_limit(1 << 30)
    yield from csv.DictReader(read_text(path).splitlines(keepends=True))


def _json_lines(path: Path) -> Iterator[Row]:
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise Unfit(f"line {number}: not JSON ({error})") from None
        if not isinstance(row, dict):
            raise Unfit(f"line {number}: not an object")
        yield row


def _parquet(path: Path) -> Iterator[Row]:
    try:
        # By name: it is heavy, comes with ragas only, and has no types.
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ModuleNotFoundError:
        raise Unfit(
            "reading Parquet needs pyarrow: pip install pyarrow, or export it as JSON lines"
            " (pandas.read_parquet(FILE).to_json('x.jsonl', orient='records', lines=True))"
        ) from None
    try:
        for batch in parquet.ParquetFile(path).iter_batches(batch_size=64):
            yield from batch.to_pylist()
    except (arrow.ArrowException, OSError) as error:
        raise Unfit(f"not Parquet ({str(error).splitlines()[0]})") from None
