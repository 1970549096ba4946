"""From an upstream file to a case file: whole or not at all."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from pydantic import ValidationError

from evals.converters.reading import Left, Row, Unfit, Upstream
from evals.converters.schemas import MODELS
from evals.converters.sniffing import HEAD_BYTES, guess
from evals.errors import BadInputError

_COUNTED = ("turns", "questions", "boundaries")


@dataclass(slots=True)
class Converted:
    """What was written: lines, what is in them by field, and what was left out by reason."""

    lines: int = 0
    inside: Counter[str] = field(default_factory=Counter)
    left: Left = field(default_factory=Counter)


def convert(upstream: Upstream, source: Path, out: Path, limit: int | None = None) -> Converted:
    """Write the cases of an upstream source to a file, replacing it only when all are written.

    Every line is checked as the suite's loader does. `limit`: only the first so many lines.

    Raises:
        BadInputError: the source is not what was named, or the file cannot be written; nothing
            was written then.
    """
    _check_paths(source, out)
    done = Converted()
    unfinished = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        try:
            with unfinished.open("x", encoding="utf-8", newline="\n") as file:
                for row in islice(_rows(upstream, source, done.left), limit):
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")
                    done.lines += 1
                    done.inside.update({name: len(row[name]) for name in _COUNTED if name in row})
                file.flush()
                os.fsync(file.fileno())
            if not done.lines:
                raise BadInputError(f"{source}: nothing in it that could be converted")
            unfinished.replace(out)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        where = error.filename or out
        raise BadInputError(f"{where}: {error.strerror or error}") from error
    return done


def _rows(upstream: Upstream, source: Path, left: Left) -> Iterator[Row]:
    model = MODELS.get(upstream.suite)
    try:
        for row in upstream.convert(source, left):
            if model:
                model.model_validate_json(json.dumps(row))
            yield row
    except Unfit as error:
        raise BadInputError(_unfit(upstream, source, str(error))) from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        said = f"{row.get('case_id', '')}: {where} {first['msg']}"
        raise BadInputError(_unfit(upstream, source, said)) from None


def _unfit(upstream: Upstream, source: Path, said: str) -> str:
    looks = ""
    if source.is_file():
        with source.open("rb") as file:
            seen = guess(file.read(HEAD_BYTES))
        if seen and seen.upstream != upstream.name:
            looks = f"; it looks like {seen.text}"
            looks += f" (convert {seen.upstream})" if seen.upstream else ""
    return f"{source}: not {upstream.title}: {said}{looks}; expected: {upstream.source}"


def _check_paths(source: Path, out: Path) -> None:
    if not source.exists():
        raise BadInputError(f"{source}: no such file or folder")
    if out.exists() and not out.is_file():
        raise BadInputError(f"--out {out}: is a folder or a device")
    if not out.resolve().parent.is_dir():
        raise BadInputError(f"--out {out}: its folder does not exist")
    if source.resolve() == out.resolve():
        raise BadInputError(f"--out {out}: is the source")
