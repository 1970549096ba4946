"""`compose.yaml` names settings and commands that there are."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from graph.settings import Settings
from scripts.processes import ROOT

SERVICES: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]


@pytest.mark.parametrize("name", ["web", "worker"])
def test_every_variable_is_a_setting_and_the_same_for_webs_and_workers(name: str) -> None:
    variables = SERVICES[name]["environment"]
    known = {f"RECOLLECT_{field}".upper() for field in Settings.model_fields}
    assert {each for each in variables if each.startswith("RECOLLECT_")} <= known
    assert variables == SERVICES["web"]["environment"]


def test_webs_take_in_and_workers_answer() -> None:
    assert SERVICES["web"]["command"][:2] == ["serve", "--no-worker"]
    assert SERVICES["worker"]["command"] == ["worker"]


def test_a_second_web_finds_a_port_on_the_machine() -> None:
    (published,) = SERVICES["web"]["ports"]
    first, last = published.split(":")[1].split("-")
    assert int(last) > int(first)


def test_a_secret_of_any_signs_breaks_no_address() -> None:
    addresses = [str(v) for k, v in SERVICES["web"]["environment"].items() if k.endswith("URL")]
    assert addresses
    assert not any("PASSWORD" in address for address in addresses)


def test_the_guide_makes_every_secret_that_must_be_set() -> None:
    required = set(re.findall(r"\$\{(\w+):\?", (ROOT / "compose.yaml").read_text("utf-8")))
    made = secrets_of_the_guide()
    assert set(made) == required
    assert all(re.fullmatch(r"[0-9a-f]{48}", secret) for secret in made.values())
    assert len(set(made.values())) == len(made)


def secrets_of_the_guide() -> dict[str, str]:
    """Return what the guide's first block of commands writes into `.env`."""
    guide = (ROOT / "docs/connect-whatsapp.md").read_text("utf-8")
    found = re.search(r"```\n(   umask.*?)```", guide, re.DOTALL)
    assert found
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["bash", "-ec", found[1]], cwd=folder, check=True)
        written = Path(folder, ".env")
        assert written.stat().st_mode & 0o077 == 0
        lines = written.read_text("utf-8").splitlines()
    return {name: value.strip("'") for name, _, value in (line.partition("=") for line in lines)}
