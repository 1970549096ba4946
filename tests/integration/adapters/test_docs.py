"""The code of docs/in-your-own-graph.md runs, and gives what is said of it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from scripts.processes import ROOT
from tests.drivers.serving import clean_environment
from tests.stores import store_environment

ASK = """
import asyncio
print(asyncio.run(found("Do I live in Lisbon?")))
"""


def test_the_guides_programs_do_what_is_said_of_them(tmp_path: Path) -> None:
    text = (ROOT / "docs/in-your-own-graph.md").read_text(encoding="utf-8")
    retrieve, store = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
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
