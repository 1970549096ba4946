"""The help of one suite: what it asks, what it measures, and the options that it takes."""

from __future__ import annotations

from collections.abc import Callable

import typer

from evals.commands.arguments import command_of
from evals.suite.registry import SUITES

ONLY_FOR = {
    "orders": ("loops",),
    "cross_check": ("recall",),
    "answers": ("recall",),
    "sizes": ("latency",),
    "own": ("latency",),
}
"""Options by the suites that take them; the others are for all."""


def show_suite_help(name: str, evaluate: Callable[..., int], epilog: str) -> None:
    """Write the help of a suite; `evaluate` is the command that runs any.

    Raises:
        typer.Exit: always, when it is written.
    """
    app = command_of(evaluate, text=_text(name), epilog=epilog)
    command = typer.main.get_command(app)
    command.params = [each for each in command.params if _takes(name, each.name or "")]
    command.make_context(f"recollect eval {name}", ["--help"])


def _takes(name: str, parameter: str) -> bool:
    if parameter == "cases":
        return SUITES[name].needs_cases
    return parameter != "suite" and name in ONLY_FOR.get(parameter, (name,))


def _text(name: str) -> str:
    suite = SUITES[name]
    lines = [suite.summary[:1].upper() + suite.summary[1:], "", "\b", f"systems: {suite.known()}"]
    if suite.figures is not None:
        lines.append(f"measures: {', '.join(suite.figures())}")
    if suite.own_cases is not None:
        lines.append(f"own cases: {suite.own_cases}")
    return "\n".join(lines)
