"""`compose.yaml` names settings and commands that there are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from graph.settings import Settings
from tests.drivers import compose
from tests.drivers.compose import ComposeError, Service
from tests.drivers.topology import Topology

TEXT = compose.COMPOSE.read_text("utf-8")
SERVICES: dict[str, Any] = yaml.safe_load(TEXT)["services"]
VARIABLES: dict[str, str | None] = {
    "POSTGRES_PASSWORD": "p",
    "NEO4J_PASSWORD": "n",
    "WAHA_API_KEY": "w",
    "WAHA_HMAC_KEY": "h",
    "WAHA_DASHBOARD_PASSWORD": "d",
    "RECOLLECT_API_KEY": "r",
}


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
    required = set(re.findall(r"\$\{(\w+):\?", TEXT))
    made = compose.guide_secrets()
    assert made.keys() == required
    assert all(re.fullmatch(r"[0-9a-f]{48}", secret or "") for secret in made.values())
    assert len(set(made.values())) == len(made)


def test_a_client_presents_the_password_that_its_server_was_given() -> None:
    services = compose.read_services(TEXT, VARIABLES)
    web, postgres, graph = (services[each] for each in ("web", "postgres", "neo4j"))
    assert web.environment["PGPASSWORD"] == postgres.environment["POSTGRES_PASSWORD"] == "p"
    assert graph.environment["NEO4J_AUTH"] == "neo4j/n"
    assert web.environment["RECOLLECT_NEO4J_PASSWORD"] == "n"
    assert graph.healthcheck
    assert graph.healthcheck.command[1:5] == ("-u", "neo4j", "-p", "n")


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("@postgres/", "@database/", "web, RECOLLECT_DATABASE_URL: there is no service database"),
        ("chroma:8000", "chroma:8001", "web, RECOLLECT_CHROMA_URL: chroma does not listen on 8001"),
        ("waha:3000", "recollect:3000", "web, RECOLLECT_WAHA_URL: recollect does not listen on"),
        ("-8009:8000", "-8009:8080", "web: does not listen on the port that is published"),
        ('"serve", ', '"serve", "--port", "8080", ', "web: does not listen on the port that"),
        ("${WAHA_API_KEY}", "${WAHA_KEY}", "waha: nobody sets WAHA_KEY"),
        ("${OWNER_IDS:-}", "${NEO4J_PASSWD:?set it}", "web: nobody sets NEO4J_PASSWD"),
        ("    neo4j: { cond", "    graph: { cond", "graph: something depends on it"),
        ("_started", "_healthy", "chroma: will never be service_healthy"),
        ("chromadb/chroma:", "chroma/chroma:", "chroma: nothing stands for the image"),
        ("pg_isready", "pg_ready", "postgres: there is no command pg_ready"),
    ],
)
def test_what_leads_nowhere_is_told_before_anything_starts(
    tmp_path: Path, right: str, wrong: str, told: str
) -> None:
    text = TEXT.replace(right, wrong)
    assert text != TEXT
    with pytest.raises(ComposeError, match=re.escape(told)):  # noqa: PT012
        services = compose.read_services(text, VARIABLES)
        image = compose.read_image(compose.DOCKERFILE.read_text("utf-8"))
        Topology(tmp_path, services, image, stand_ins(tmp_path)).up()


@dataclass
class StandIn:
    """A server of which only its port matters; its health check is always content."""

    listens: int
    port: int
    tools: Mapping[str, str]

    def start(self, service: Service) -> None:
        pass

    def stop(self) -> None:
        pass


def stand_ins(folder: Path) -> dict[str, StandIn]:
    for command in ("pg_isready", "cypher-shell"):
        (folder / command).symlink_to("/bin/true")
    ports = {"postgres": 5432, "chromadb/chroma": 8000, "neo4j": 7687, "devlikeapro/waha": 3000}
    return {name: StandIn(port, 9, {"PATH": str(folder)}) for name, port in ports.items()}
