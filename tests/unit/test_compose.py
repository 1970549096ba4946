"""`compose.yaml` names settings and commands that there are."""

from __future__ import annotations

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
