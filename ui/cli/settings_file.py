"""Writes the settings file: a variable a line, in the form that dotenv files have."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from memory.errors import RecollectError


class UnwritableSettings(RecollectError):
    """The settings file cannot be written."""


def rendered(values: Mapping[str, str]) -> str:
    """Return the file's text: values in quotes, whatever signs they have but ends of lines."""
    return "".join(f"{name}='{_escaped(value)}'\n" for name, value in values.items())


def write_settings(path: Path, values: Mapping[str, str]) -> None:
    """Write a file that its owner alone can read, whole or not at all.

    Raises:
        UnwritableSettings: its folder does not let it.
    """
    draft = path.with_name(path.name + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(rendered(values))
        draft.replace(path)
    except OSError as error:
        raise UnwritableSettings(
            f"{path}: cannot be written: {error.strerror}; name another by --file"
        ) from error


def _escaped(value: str) -> str:
    quoted = value.replace("\\", "\\\\").replace("'", "\\'")
    # Readers put variables in the place of ${NAME}, in quotes too; of this one the default stands.
    return quoted.replace("${", "${RECOLLECT_DOLLAR:-$}{")
