"""Settings and persona as a page edits them: what is set where, and how it is kept."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from dotenv import dotenv_values

from graph.personas import UnwritablePersona, write_persona
from graph.settings import (
    BadSettings,
    Settings,
    default_settings_file,
    settings_file,
    settings_from,
)
from memory.errors import RecollectError
from ui.cli.settings_file import changed, write_text
from ui.doctor import shown

Source = Literal["environment", "file", "default"]

EDITABLE: Final = (
    "reply_direct",
    "reply_group",
    "blocked",
    "allowed",
    "owner_ids",
    "known_bots",
    "takeover_s",
    "debounce_ms",
    "debounce_max_ms",
    "timezone",
    "window",
    "window_h",
    "memory_tokens",
    "tone",
)
"""What shapes answers. Stores, models and keys are set where one sees the machine: by `init`."""

PERSONA_VARIABLE: Final = "RECOLLECT_PERSONA_FILE"


class NotSet(RecollectError):
    """A setting cannot be set here."""


@dataclass(frozen=True, slots=True)
class Row:
    """A setting as it may be read over a shoulder, and what is to take its place, if anything.

    `next`: what the file says by now and the process, started before, does not know yet.
    """

    name: str
    variable: str
    value: str
    meaning: str
    source: Source
    is_editable: bool
    next: str = ""


def rows(settings: Settings) -> list[Row]:
    """Return all settings: values as they hold in this process, secrets masked."""
    filed = _filed()
    try:
        restarted = settings_from(settings_file())
    except BadSettings:
        restarted = settings
    return [_row(settings, restarted, name, filed) for name in Settings.model_fields]


def _row(settings: Settings, restarted: Settings, name: str, filed: Mapping[str, str]) -> Row:
    field, variable = Settings.model_fields[name], variable_of(name)
    value, later = (shown(name, getattr(each, name)) for each in (settings, restarted))
    if "SecretStr" in str(field.annotation):
        value, later = (each if each == "not set" else "set" for each in (value, later))
    in_environment = bool(os.environ.get(variable))
    by_file: Source = "file" if filed.get(variable) else "default"
    return Row(
        name,
        variable,
        value,
        field.description or "",
        "environment" if in_environment else by_file,
        name in EDITABLE and not in_environment,
        later if later != value and name in EDITABLE else "",
    )


def set_value(name: str, text: str) -> None:
    """Keep a setting in the settings file; an empty text gives it its default again.

    It holds after a restart.

    Raises:
        NotSet: it is set elsewhere; or the value cannot be used: one line.
        UnwritableSettings: the file cannot be read or written.
    """
    if name not in EDITABLE:
        raise NotSet("it is set by `recollect init`, the environment, or in the settings file")
    variable = variable_of(name)
    if os.environ.get(variable):
        raise NotSet("the environment sets it, which counts more than the file")
    file = _file()
    written = changed(file, variable, " ".join(text.split()))
    try:
        _read(file, written)
    except BadSettings as error:
        raise NotSet(str(error).removeprefix(f"{variable}: ")) from error
    write_text(file, written)


def keep_persona(settings: Settings, text: str) -> bool:
    """Keep the persona; tell whether the next turn has it, and not only one after a restart.

    Raises:
        UnwritablePersona: the text cannot be used, or its file not be written.
        UnwritableSettings: the settings cannot be read, or cannot name a new file.
    """
    if settings.persona_file is not None:
        write_persona(settings.persona_file, text)
        return True
    if os.environ.get(PERSONA_VARIABLE):
        raise UnwritablePersona("the environment names another file since: restart first")
    file = _file()
    path = file.with_name("persona.txt")
    written = changed(file, PERSONA_VARIABLE, str(path))
    write_persona(path, text)
    write_text(file, written)
    return False


def persona_now(settings: Settings) -> str:
    """Return the persona's text: what the next turn has, or one after a restart will.

    Raises:
        BadSettings: its file cannot be read.
    """
    if settings.persona_file is None and (named := _filed().get(PERSONA_VARIABLE)):
        return settings.model_copy(update={"persona_file": Path(named)}).persona()
    return settings.persona()


def variable_of(name: str) -> str:
    """Return the variable of a setting."""
    alias = Settings.model_fields[name].validation_alias
    return alias if isinstance(alias, str) else f"RECOLLECT_{name.upper()}"


def _file() -> Path:
    path = settings_file() or default_settings_file()
    if path.exists() and not path.is_file():
        raise NotSet(f"the settings are read from {path}, which is no file")
    return path


def _filed() -> dict[str, str]:
    path = settings_file()
    read = dotenv_values(path, encoding="utf-8") if path else {}
    return {name: value for name, value in read.items() if value}


def _read(file: Path, text: str) -> None:
    """Read a text as the file will be read, beside the environment."""
    draft = file.with_name(file.name + ".try")
    try:
        write_text(draft, text)
        settings_from(draft)
    finally:
        draft.unlink(missing_ok=True)
