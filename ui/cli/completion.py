"""`recollect completion`: what a shell needs to complete commands and options."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Literal

import typer

# Typer names both there, and exports neither by mypy's rules.
from typer.completion import completion_init, get_completion_script  # type: ignore[attr-defined]

completion_app = typer.Typer()

Shell = Literal["bash", "zsh", "fish"]

ASKED_BY = "_RECOLLECT_COMPLETE"
"""The variable by which a shell asks what fits."""


def answer_shells() -> None:
    """Let a shell that asks be answered, where one does."""
    if ASKED_BY in os.environ:
        completion_init()


@completion_app.command()
def completion(
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
) -> None:
    """Write what a shell needs to complete commands and options.

    bash: `eval "$(recollect completion bash)"` in ~/.bashrc; zsh: the same in ~/.zshrc, after
    compinit; fish: `recollect completion fish > ~/.config/fish/completions/recollect.fish`.
    """
    script = get_completion_script(prog_name="recollect", complete_var=ASKED_BY, shell=shell)
    sys.stdout.write(script + "\n")
