"""The code of docs/in-your-own-graph.md runs, and gives what is said of it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from scripts.processes import ROOT
from tests.drivers.serving import clean_environment
from tests.fakes.openai_server import OpenAIServer
from tests.integration.adapters.foreign import where_they_live
from tests.stores import store_environment

ASK = """
import asyncio
print(asyncio.run(found("Do I live in Lisbon?")))
"""


def test_the_guides_programs_do_what_is_said_of_them(tmp_path: Path) -> None:
    text = (ROOT / "docs/in-your-own-graph.md").read_text(encoding="utf-8")
    _, retrieve, store = _blocks(text, "python")
    environment = clean_environment(store_environment(tmp_path))
    for program, printed in ((store, "Lisbon\n"), (retrieve + ASK, "['home: Lisbon']\n")):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert (done.stdout, done.returncode) == (printed, 0), done.stderr


def test_the_guides_agent_streams_to_several_users_what_each_may_hear(tmp_path: Path) -> None:
    text = (ROOT / "docs/in-your-own-graph.md").read_text(encoding="utf-8")
    (printed,) = [each for each in _blocks(text, "text") if each.startswith("alex: ")]
    with OpenAIServer(respond=where_they_live) as server:
        environment = clean_environment(store_environment(tmp_path)) | {
            "OPENAI_BASE_URL": f"{server.url}/v1",
            "OPENAI_API_KEY": "none",
        }
        done = subprocess.run(
            [sys.executable, "-c", _blocks(text, "python")[0]],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert (done.stdout, done.returncode) == (printed, 0), done.stderr


def _blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
