"""`recollect import` as a process on the stores of a test."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from graph.settings import Settings

ROOT = Path(__file__).resolve().parents[3]


def environment(settings: Settings) -> dict[str, str]:
    """Return the environment of a process that uses the test's stores and tenant."""
    url = settings.database_url
    return {
        **{k: v for k, v in os.environ.items() if not k.startswith(("RECOLLECT_", "OPENAI_"))},
        "RECOLLECT_DATABASE_URL": url.get_secret_value() if url else "",
        "RECOLLECT_CHROMA_URL": settings.chroma_url or "",
        "RECOLLECT_TENANT": settings.tenant,
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
    }


def command(path: Path, *options: str) -> list[str]:
    """Return the command line that imports a file."""
    return [sys.executable, "-m", "ui.cli.main", "import", str(path), *options]
