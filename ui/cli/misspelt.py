"""Variables that look like settings and are none: a line each, with the setting that is near."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Collection, Mapping

PREFIX = "RECOLLECT_"
# No settings, but known: for tracebacks, and where the settings' file is.
_BESIDE = ("RECOLLECT_DEBUG", "RECOLLECT_SETTINGS_FILE")
_TESTS = "RECOLLECT_TEST_"


def misspelt(environment: Mapping[str, str], known: Collection[str]) -> list[str]:
    """Return a line for each variable of ours that is no setting, sorted; never its value."""
    lines = []
    for name in sorted(environment):
        upper = name.upper()
        if not upper.startswith(PREFIX) or upper.startswith(_TESTS):
            continue
        if upper in known or upper in _BESIDE:
            continue
        near = difflib.get_close_matches(upper, known, n=1, cutoff=0.75)
        hint = f"did you mean {near[0]}?" if near else "`recollect doctor` lists all settings."
        lines.append(f"{name} is no setting: {hint}")
    return lines


def known_variables() -> frozenset[str]:
    """Return the variable of every setting."""
    from graph.settings import Settings

    return frozenset(
        f"{PREFIX}{name}".upper()
        for name, field in Settings.model_fields.items()
        if field.validation_alias is None
    )


def warn_of_misspelt() -> None:
    """Write the lines of this process; where no variable is ours, without loading anything."""
    if any(name.upper().startswith(PREFIX) for name in os.environ):
        for line in misspelt(os.environ, known_variables()):
            sys.stderr.write(f"recollect: {line}\n")
