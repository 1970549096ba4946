"""`recollect policy`: the policies of all chats as a file."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from graph.settings import Settings
    from memory.policy.file import Format, PolicyFile
    from memory.policy.rules import Layer

UNUSABLE = 2
"""Exit status for a file that cannot be used."""

policy_app = typer.Typer(
    help="Write, read or check the policies of all chats as a file.", no_args_is_help=True
)

File = Annotated[
    Path, typer.Argument(metavar="FILE", help="YAML, or JSON where its name ends so; - for input.")
]


@policy_app.command(name="export")
def export_file(
    path: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Where to; without it: the output.")
    ] = None,
) -> None:
    """Write every policy to a file, or to the output as YAML."""
    from graph.settings import load_settings

    text = asyncio.run(_export(load_settings(), _style(path) if path else "yaml"))
    if path is None or str(path) == "-":
        sys.stdout.write(text)
        return
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        sys.stderr.write(f"{path}: cannot be written: {error.strerror}\n")
        raise typer.Exit(1) from error
    _write(f"{path}: written.")


@policy_app.command(name="import")
def import_file(path: File) -> None:
    """Read policies from a file: all of it, or nothing where it has an error.

    Each scope in the file becomes as the file says; scopes that it leaves out stay as they are.
    """
    from graph.settings import load_settings

    found = _checked(path)
    if found is None:
        raise typer.Exit(UNUSABLE)
    asyncio.run(_import(load_settings(), found.layers, path))


@policy_app.command()
def check(path: File) -> None:
    """Check a policy file; each error is a line, and the exit status is 2 if there are any."""
    found = _checked(path)
    if found is None:
        raise typer.Exit(UNUSABLE)
    count = len(found.layers)
    _write(f"{_name(path)}: fine, with {'1 scope' if count == 1 else f'{count} scopes'}.")


def _checked(path: Path) -> PolicyFile | None:
    """Read a file; None when it cannot be used, with its errors written a line each."""
    from memory.policy.file import BadPolicyFile, read_policy_file

    try:
        text = sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")
        return read_policy_file(text, _style(path))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        sys.stderr.write(f"{_name(path)}: cannot be read: {reason}\n")
    except BadPolicyFile as error:
        for line in error.lines:
            sys.stderr.write(f"{_name(path)}: {line}\n")
    return None


async def _export(settings: Settings, style: Format) -> str:
    from graph.bootstrap import open_agent
    from memory.policy.file import render_policy_file

    async with open_agent(settings) as agent:
        return render_policy_file(await agent.stores.memory.policies.newest(settings.tenant), style)


async def _import(settings: Settings, layers: Mapping[str, Layer], path: Path) -> None:
    from graph.bootstrap import open_agent

    async with open_agent(settings) as agent:
        made = await agent.stores.memory.policies.change(
            settings.tenant,
            {scope: partial(_becomes, layer) for scope, layer in layers.items()},
            f"file {path.name}"[:200],
            agent.stores.clock(),
        )
    for version in made:
        _write(f"{version.scope}: version {version.version}")
    if not made:
        _write("Nothing changed: it is so already.")


def _becomes(new: Layer, _old: Layer) -> Layer:
    return new


def _style(path: Path) -> Format:
    return "json" if path.suffix.lower() == ".json" else "yaml"


def _name(path: Path) -> str:
    return "input" if str(path) == "-" else str(path)


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")
