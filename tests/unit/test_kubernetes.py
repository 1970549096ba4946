"""The Kubernetes manifest: objects of its schemas, with settings and commands that there are."""

from __future__ import annotations

import re
from typing import Any

import kubernetes_validate
import pytest
import yaml

from graph.settings import Settings
from scripts.processes import ROOT
from tests.unit.test_compose import SERVICES

VERSION = "1.30"
OBJECTS: list[dict[str, Any]] = list(
    yaml.safe_load_all((ROOT / "deploy/kubernetes/recollect.yaml").read_text("utf-8"))
)
PODS = {
    each["metadata"]["name"]: each["spec"]["template"]["spec"]
    for each in OBJECTS
    if each["kind"] == "Deployment"
}


@pytest.mark.parametrize(
    "each", OBJECTS, ids=lambda each: f"{each['kind']}-{each['metadata']['name']}"
)
def test_every_object_is_of_its_schema(each: dict[str, Any]) -> None:
    kubernetes_validate.validate(each, VERSION, strict=True)


def test_webs_and_workers_run_what_the_compose_file_runs() -> None:
    for name in ("web", "worker"):
        (container,) = PODS[f"recollect-{name}"]["containers"]
        assert container["args"] == SERVICES[name]["command"]


def test_settings_are_settings_and_the_secret_holds_all_that_is_secret() -> None:
    given = next(each["data"] for each in OBJECTS if each["kind"] == "ConfigMap")
    known = {f"RECOLLECT_{field}".upper() for field in Settings.model_fields}
    assert {name for name in given if name.startswith("RECOLLECT_")} <= known
    guide = (ROOT / "docs/deploy.md").read_text("utf-8")
    made = set(re.findall(r"--from-literal=(\w+)=", guide))
    assert {name for name in made if name.startswith("RECOLLECT_")} <= known
    assert not {name for name in given if re.search("PASSWORD|KEY|TOKEN|SECRET", name)}
    assert {"PGPASSWORD", "RECOLLECT_API_KEY"} <= made


def test_a_web_is_ready_by_its_health_and_a_worker_may_finish_what_it_began() -> None:
    (web,) = PODS["recollect-web"]["containers"]
    assert web["readinessProbe"]["httpGet"]["path"] == "/health"
    assert "httpGet" not in web["livenessProbe"]
    assert PODS["recollect-worker"]["terminationGracePeriodSeconds"] >= 60
