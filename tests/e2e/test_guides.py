"""Commands of the guides, run as they stand, end in an agent that answers."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.processes import ROOT, environment
from tests.fakes.openai_server import OpenAIServer

pytestmark = pytest.mark.timeout(180)

RECOLLECT = f'recollect() {{ {shlex.quote(sys.executable)} -m ui.cli.main "$@"; }}'


def blocks(guide: str) -> list[str]:
    """Return a guide's blocks of commands, with `recollect` where it names it by its folder."""
    found = re.findall(
        r"^ *```\n(.*?)^ *```", (ROOT / guide).read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    return [block.replace(".venv/bin/recollect", "recollect") for block in found]


def run(script: str, data_dir: Path, said: str = "", **more: str) -> str:
    """Run commands in a shell in which `recollect` is this checkout's; return what they print."""
    done = subprocess.run(
        ["bash", "-c", f"{RECOLLECT}\n{script}"],
        input=said,
        env={**os.environ, **environment(data_dir), **more},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    return done.stdout + done.stderr


def test_the_models_guide_ends_in_a_reply_of_the_model(new_data_dir: Path) -> None:
    with OpenAIServer() as server:
        server.script(*["Good morning, Ana."] * 4)
        script = blocks("docs/model.md")[0].replace("...", "any-word")
        said = run(script, new_data_dir, "Hello!\n", OPENAI_BASE_URL=f"{server.url}/v1")
        assert "Good morning, Ana." in said
        assert "no model is set" not in said


def test_both_channels_guides_set_a_model() -> None:
    for guide in ("docs/connect-whatsapp.md", "docs/connect-telegram.md"):
        served = [block for block in blocks(guide) if "recollect serve" in block]
        assert "RECOLLECT_MODEL=" in served[0], guide
    assert any("RECOLLECT_MODEL='" in block for block in blocks("docs/connect-whatsapp.md"))
