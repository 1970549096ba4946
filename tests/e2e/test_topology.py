"""What `compose.yaml` describes, run as plain processes: webs, a worker, real stores, a gateway."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from neo4j import GraphDatabase

from tests.drivers import compose, images
from tests.drivers.topology import Topology
from tests.e2e.test_workers import eventually
from tests.fakes.openai_server import OpenAIServer, Slow
from tests.fakes.waha_gateway import Sent, WahaGateway
from tests.stores import reachable

pytestmark = [pytest.mark.neo4j, pytest.mark.timeout(300)]
QUIET_S = 0.8
URI = "RECOLLECT_TEST_NEO4J_URI"


@dataclass
class Running:
    """The topology, what is at its far ends, and who writes in it."""

    topology: Topology
    gateway: WahaGateway
    model: OpenAIServer
    variables: dict[str, str | None]
    webhook: str
    healthy_while_made: list[bool]
    chats: list[str] = field(default_factory=list)

    def chat(self) -> str:
        """Return a chat that nobody else has, nor had on the graph, which outlives the test."""
        self.chats.append(f"49{secrets.randbelow(10**12):012d}@c.us")
        return self.chats[-1]

    def webhooks(self) -> list[str]:
        """Return where the guide's address leads, once for each web that runs."""
        return self.topology.led_to(self.webhook)

    def say(self, text: str, chat: str, web: int = 0) -> None:
        self.gateway.webhook_url = self.webhooks()[web]
        assert self.gateway.deliver(text, chat).status == 200

    def sent_to(self, chat: str) -> list[Sent]:
        return [sent for sent in self.gateway.sent if sent.chat_id == chat]

    def settle(self, chat: str, answers: int) -> None:
        assert eventually(lambda: len(self.sent_to(chat)) >= answers)
        time.sleep(QUIET_S)
        assert len(self.sent_to(chat)) == answers

    def get(self, path: str, web: int = 0, **query: str) -> Any:
        """Ask a web's API, with the key that the guide made."""
        url = self.topology.led_to(f"http://recollect:8000{path}")[web]
        key = {"Authorization": f"Bearer {self.variables['RECOLLECT_API_KEY']}"}
        return httpx.get(url, params=query, headers=key, timeout=10).raise_for_status().json()

    def on_graph(self, statement: str) -> list[Any]:
        """Ask Neo4j about the newest chat, `$chat`, and all, `$chats`."""
        auth = "neo4j", str(self.variables["NEO4J_PASSWORD"])
        with GraphDatabase.driver(neo4j_uri(), auth=auth) as driver:
            found = driver.execute_query(statement, chat=self.chats[-1], chats=self.chats)
        return [record.values() for record in found.records]

    def forget(self) -> None:
        """Take off the graph what the chats brought: the graph is other tests', too."""
        if self.chats:
            self.on_graph(
                "MATCH (n {tenant: 'default'})"
                " WHERE any(c IN $chats WHERE coalesce(n.contact_id, n.contact_key) ENDS WITH c)"
                " DETACH DELETE n"
            )


def neo4j_uri() -> str:
    uri = os.environ.get(URI, "")
    if not uri:
        stop = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        stop(f"{URI} is not set: start a Neo4j 5 and name its Bolt address")
    return uri


def topology_of(folder: Path, text: str, variables: dict[str, str | None]) -> Topology:
    """Return the topology of a compose file, in which nothing runs yet."""
    (folder / "tools").mkdir()
    return Topology(
        folder,
        compose.read_services(text, variables),
        compose.read_image(compose.DOCKERFILE.read_text("utf-8")),
        {
            "postgres": images.Postgres(folder / "data"),
            "chromadb/chroma": images.Chroma(folder / "data"),
            "neo4j": images.Neo4j(neo4j_uri(), folder / "tools"),
            "devlikeapro/waha": images.Waha(),
        },
    )


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = reachable(tmp_path_factory.mktemp("topology"))
    with OpenAIServer(respond=remembering) as model:
        its = {"OPENAI_BASE_URL": f"{model.url}/v1", "OPENAI_API_KEY": "any-key"}
        variables = compose.guide_environment() | its
        if password := os.environ.get("RECOLLECT_TEST_NEO4J_PASSWORD"):
            variables["NEO4J_PASSWORD"] = password
        topology = topology_of(folder, compose.COMPOSE.read_text("utf-8"), variables)
        waha, postgres = topology.others["devlikeapro/waha"], topology.others["postgres"]
        assert isinstance(waha, images.Waha)
        assert isinstance(postgres, images.Postgres)
        early: list[bool] = []
        postgres.while_made = lambda: early.append(topology.is_healthy("postgres"))
        (webhook,) = compose.guide_session(variables)["config"]["webhooks"]
        waha.gateway.hmac_key = webhook["hmac"]["key"]
        running = Running(topology, waha.gateway, model, variables, webhook["url"], early)
        try:
            topology.up(web=2)
            yield running
        finally:
            topology.down()
            running.forget()


@pytest.fixture
def running(started: Running) -> Running:
    """All of it, with whatever a test before ended started again, as Compose would."""
    started.topology.up(web=2)
    return started


def remembering(request: dict[str, Any]) -> str:
    """Answer out of what the prompt says of memory, never out of what the person just said."""
    system = " ".join(each["content"] for each in request["messages"] if each["role"] == "system")
    return "You live in Lisbon." if "Lisbon" in system else "I see."


def test_each_is_started_once_what_it_needs_is_there(running: Running) -> None:
    happened = running.topology.happened
    for service in ("web", "worker"):
        for need in ("postgres healthy", "chroma started", "neo4j healthy"):
            assert happened.index(need) < happened.index(f"{service} started")
    assert happened.count("web started") == 2
    assert running.get("/health")["stores"].keys() >= {"postgres", "chroma", "facts"}
    assert set(running.get("/health")["stores"].values()) == {"ok"}


def test_health_checks_tell_who_takes_connections(running: Running) -> None:
    topology = running.topology
    # Before the database is made for good, the image runs it behind a socket, where none of ours
    # would reach it.
    assert running.healthy_while_made == [False]
    for name, elsewhere in (("postgres", "PGPORT"), ("neo4j", "NEO4J_ADDRESS")):
        assert topology.is_healthy(name)
        container = topology.other(topology.services[name])
        tools, nowhere = container.tools, {"PGPORT": "9", "NEO4J_ADDRESS": "bolt://127.0.0.1:9"}
        try:
            container.tools = {**tools, elsewhere: nowhere[elsewhere]}
            assert not topology.is_healthy(name)
        finally:
            container.tools = tools


def test_what_one_web_is_told_the_other_knows(running: Running) -> None:
    chat = running.chat()
    running.say("My name is Alex and I live in Lisbon.", chat, web=0)
    running.settle(chat, 1)
    context = f"/contacts/waha:{chat}/context"

    def told() -> list[tuple[str, str]]:
        facts = running.get(context, web=1, query="Where do I live?")["facts"]
        return [(fact["key"], fact["value"]) for fact in facts]

    # Facts are learned when the reply has left.
    assert eventually(lambda: ("home", "Lisbon") in told())
    on_graph = "MATCH (f:Fact {key: 'home'}) WHERE f.contact_id ENDS WITH $chat RETURN f.value"
    assert running.on_graph(on_graph) == [["Lisbon"]]
    running.say("Where do I live?", chat, web=1)
    running.settle(chat, 2)
    assert running.sent_to(chat)[1].text == "You live in Lisbon."
    assert running.model.keys[-1] == "any-key"


def test_a_webhook_that_reaches_both_webs_is_answered_once(running: Running) -> None:
    chat = running.chat()
    event = running.gateway.event("Hello there", chat)
    for web in (0, 1, 0):
        running.gateway.webhook_url = running.webhooks()[web]
        assert running.gateway.post(event).status == 200
    running.settle(chat, 1)


def test_a_turn_of_a_killed_worker_another_takes_over(running: Running) -> None:
    chat, calls = running.chat(), running.model.calls
    running.model.script(Slow("too late", 60))
    running.say("Are you there?", chat)
    assert eventually(lambda: running.model.calls == calls + 1)
    (first,) = running.topology.of("worker")
    running.topology.up(web=2, worker=2)
    first.kill()
    running.settle(chat, 1)
    assert running.sent_to(chat)[0].text == "I see."


def test_what_a_killed_web_took_in_is_answered_and_the_other_goes_on(running: Running) -> None:
    chat = running.chat()
    killed, left = running.topology.of("web")
    running.say("I have a red bicycle.", chat)
    killed.kill()
    running.settle(chat, 1)
    assert [left.url in webhook for webhook in running.webhooks()] == [True]
    running.say("And a green one.", chat)
    running.settle(chat, 2)
