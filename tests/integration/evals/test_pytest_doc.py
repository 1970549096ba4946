"""The test file in docs/evals/pytest.md, run by a pytest of its own that reaches no network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
DOC = ROOT / "docs" / "evals" / "pytest.md"
NO_NETWORK = """
import socket

def refuse(*args, **kwargs):
    raise AssertionError(f"a test of metrics that compute reached for the network: {args}")

socket.socket.connect = socket.getaddrinfo = refuse
"""


def test_the_documented_example_passes_without_login_or_network(tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", DOC.read_text(), re.DOTALL)
    (tmp_path / "test_memory.py").write_text(example)
    (tmp_path / "conftest.py").write_text(NO_NETWORK)
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("DEEPEVAL_")
    }
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:deepeval", "-p", "no:langsmith"),
            *("-p", "no:cacheprovider", "-p", "no:asyncio", "test_memory.py"),
        ],
        cwd=tmp_path,
        env=environment | {"PYTHONPATH": str(ROOT), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{example.count('def test_')} passed" in done.stdout
