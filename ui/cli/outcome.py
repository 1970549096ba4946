"""How a command ends: its exit status, and one line for whatever went wrong."""

from __future__ import annotations

import asyncio
import errno
import io
import os
import sys
from collections.abc import Callable
from pathlib import Path

import typer

from memory.errors import RecollectError
from ui.unforeseen import unforeseen

INTERRUPTED = 130


def open_output() -> None:
    """Let nothing that is shown fail for a sign that the terminal does not know.

    A program whose output was closed has none at all: what it writes goes nowhere.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def status_of(command: Callable[[], object]) -> int:
    """Run a command and return its exit status; what goes wrong is a line on standard error."""
    try:
        result = command()
        sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort, asyncio.CancelledError):
        return INTERRUPTED
    except typer.TyperException as error:
        show = getattr(error, "show", None)  # usage errors show the usage with it
        _complain(error.format_message()) if show is None else show()
        return error.exit_code
    except (RecollectError, ModuleNotFoundError) as error:
        _complain(_missing(error) if isinstance(error, ModuleNotFoundError) else str(error))
        return 1
    except BrokenPipeError:
        # Whoever read our output has left.
        _write_no_more()
        return 1
    # The outer loop of the program: no traceback reaches a person who did not ask for it.
    except Exception as error:
        if os.environ.get("RECOLLECT_DEBUG"):
            raise
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            _complain(f"{error.strerror}: make room where this writes.")
            _write_no_more()
            return 1
        _complain(f"Unexpected error: {unforeseen(error)} (run with RECOLLECT_DEBUG=1 for details)")
        return 1
    return result if isinstance(result, int) else 0


def _write_no_more() -> None:
    # What is still held back could not be written at exit either.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _missing(error: ModuleNotFoundError) -> str:
    if os.environ.get("RECOLLECT_DEBUG"):
        raise error
    extra = {"gradio": "ui", "ragas": "evals", "deepeval": "evals"}.get(error.name or "")
    how = f"make setup, or pip install '.[{extra}]', in a checkout" if extra else "make setup"
    return f"The package {error.name} is not installed: {how}."


def _complain(line: str) -> None:
    sys.stderr.write(f"recollect: {line}\n")
