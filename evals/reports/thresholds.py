"""The thresholds that a saved run had to meet: they stand in its command. Pure."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from evals.errors import BadInputError
from evals.reports.saved import SavedResult
from evals.suite.requirements import parse_requirements


@dataclass(frozen=True, slots=True)
class Threshold:
    """One `--require`; `shortfall` says what was not met and by how much, empty where it was."""

    system: str
    metric: str
    text: str
    shortfall: str


def thresholds_of(result: SavedResult) -> list[Threshold]:
    """Return the thresholds of a run, in their order; none where its command cannot be read."""
    figures = {name: system.metrics for name, system in result.systems.items()}
    try:
        wanted = parse_requirements(_required(shlex.split(result.command)))
    except (ValueError, BadInputError):
        return []
    return [
        Threshold(one.system, one.metric, f"{one.sign} {one.value:g}", one.shortfall(figures) or "")
        for one in wanted
    ]


def _required(words: list[str]) -> list[str]:
    found, is_wanted = [], False
    for word in words:
        if word.startswith("--"):
            name, _, value = word.partition("=")
            is_wanted = name == "--require" and not value
            found += [value] if name == "--require" and value else []
        elif is_wanted:
            found.append(word)
    return found
