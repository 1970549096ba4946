"""Writes the settings file: a variable a line, in the form that dotenv files have."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Final

from dotenv import dotenv_values
from dotenv.parser import parse_stream

from memory.errors import RecollectError

_MARK: Final = "\ufeff"
"""What some editors begin a UTF-8 file with."""

_AROUND: Final = re.compile(r"((?:\s*[\r\n])?)(\s*)\S.*?(\r\n|\n|\r|)", re.DOTALL)
"""Empty lines before a variable, the space before its name, and its end of line."""


class UnwritableSettings(RecollectError):
    """The settings file cannot be written."""


def rendered(values: Mapping[str, str]) -> str:
    """Return the file's text: values in quotes, whatever signs they have but ends of lines."""
    return "".join(f"{_line(name, value)}\n" for name, value in values.items())


def changed(path: Path, name: str, value: str) -> str:
    """Return the file's text with another value of a variable; without it where that is empty.

    All other lines stay: comments, and references like ${VAULT_KEY}. Of the variable's own lines
    the last stays, where it is set more than once.

    Raises:
        UnwritableSettings: the file cannot be read, or its text would not be read as it is meant.
    """
    text = _text(path)
    body = text.removeprefix(_MARK)
    # dotenv's set_key would write all ends of lines anew, and drop empty lines before its own.
    parts = [*parse_stream(StringIO(body))]
    lines = [part.original.string for part in parts]
    own = [number for number, part in enumerate(parts) if _is_of(name, part.key)]
    for number in own:
        if found := _AROUND.fullmatch(lines[number]):
            before, space, end = found.groups()
            is_kept = value and number == own[-1]
            lines[number] = before + (space + _line(name, value) + end if is_kept else "")
    if value and not own:
        end = "\r\n" if "\r\n" in body else "\n"
        lines += ["" if not body or body.endswith(("\r", "\n")) else end, _line(name, value), end]
    wanted = {key: each for key, each in _read(body).items() if not _is_of(name, key)}
    if value:
        wanted[name] = _unreferenced(value)
    if _read("".join(lines)) != wanted:
        raise UnwritableSettings(
            f"{path}: {name} would not be read from it; look for a line before it that is no"
            " setting, or a quote that is never closed"
        )
    return text[: len(text) - len(body)] + "".join(lines)


def write_settings(path: Path, values: Mapping[str, str]) -> None:
    """Write a file of these values alone, as `write_text` does.

    Raises:
        UnwritableSettings: its folder does not let it.
    """
    write_text(path, rendered(values))


def write_text(path: Path, text: str) -> None:
    """Write a file that its owner alone can read, whole or not at all.

    Raises:
        UnwritableSettings: its folder does not let it.
    """
    draft = path.with_name(path.name + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        draft.replace(path)
    except OSError as error:
        raise UnwritableSettings(
            f"{path}: cannot be written: {error.strerror}; name another by --file"
        ) from error


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8") if path.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise UnwritableSettings(f"{path}: cannot be read, and is left as it is") from error


def _read(text: str) -> dict[str, str | None]:
    """Read a text as its file will be, with all references as they stand there."""
    return dotenv_values(stream=StringIO(text, newline=None), interpolate=False)


def _is_of(name: str, key: str | None) -> bool:
    """Tell whether a line's variable is this one: settings are read without regard to case."""
    return key is not None and key.lower() == name.lower()


def _line(name: str, value: str) -> str:
    quoted = _unreferenced(value).replace("\\", "\\\\").replace("'", "\\'")
    return f"{name}='{quoted}'"


def _unreferenced(value: str) -> str:
    # Readers put variables in the place of ${NAME}, in quotes too; of this one the default stands.
    return value.replace("${", "${RECOLLECT_DOLLAR:-$}{")
