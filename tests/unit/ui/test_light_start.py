"""What may be loaded before anything is shown."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

HEAVY = {"graph", "langchain_core", "langgraph", "numpy", "psycopg", "pydantic", "rich", "server"}


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "ui.cli.main", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def _loaded(report: str) -> set[str]:
    names = (line.rpartition("|")[2].strip() for line in report.splitlines())
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_load_nothing_heavy(option: str) -> None:
    shown = _run(option)
    assert shown.returncode == 0
    loaded = _loaded(shown.stderr)
    assert "typer" in loaded
    assert loaded & HEAVY == set()


def test_version_is_the_packages() -> None:
    assert _run("--version").stdout == f"recollect {importlib.metadata.version('recollect')}\n"


def test_settings_are_read_without_a_model_or_a_driver() -> None:
    read = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import graph.settings"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert _loaded(read.stderr) & (HEAVY - {"graph", "pydantic"}) == set()


def test_the_page_leaves_out_a_package_that_can_be_had_behind_it() -> None:
    loads = "from ui.playground.serving import import_gradio; import_gradio()"
    program = f"{loads}\nimport sys\nprint('mcp' in sys.modules)\nimport mcp.client"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "False\n"
