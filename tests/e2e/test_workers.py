"""Web and workers as processes of their own, as a user starts them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.drivers.serving import HMAC_KEY, Serving
from tests.fakes.openai_server import OpenAIServer, Slow
from tests.fakes.waha_gateway import WahaGateway
from tests.stores import store_environment

CHAT = "4911@c.us"


@pytest.fixture
def gateway() -> Iterator[WahaGateway]:
    with WahaGateway(hmac_key=HMAC_KEY) as started:
        yield started


@pytest.fixture
def model() -> Iterator[OpenAIServer]:
    with OpenAIServer(default="Here I am.") as server:
        yield server


@pytest.fixture
def web(gateway: WahaGateway, model: OpenAIServer, tmp_path: Path) -> Iterator[Serving]:
    settings = {"RECOLLECT_MODEL": "fake", "OPENAI_BASE_URL": f"{model.url}/v1"}
    server = Serving(store_environment(tmp_path), gateway.url, settings, role="web")
    gateway.webhook_url = server.webhook_url
    with server:
        yield server


def worker_of(web: Serving) -> Serving:
    return Serving(web.stores, web.gateway_url, web.settings, role="worker")


def workers_up(web: Serving, count: int) -> bool:
    rows = web.rows("select count(*) as n from procrastinate_workers")
    return bool(rows[0]["n"] >= count)


def eventually(condition: Callable[[], bool], patience_s: float = 60.0) -> bool:
    deadline = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.timeout(240)
def test_what_the_web_took_in_a_worker_answers_and_its_killers_heir_finishes(
    gateway: WahaGateway, model: OpenAIServer, web: Serving
) -> None:
    assert gateway.deliver("Hello there", CHAT).status == 200
    time.sleep(0.5)
    assert (gateway.sent, model.calls) == ([], 0)
    assert web.health()["jobs"] == {"waiting": 1, "running": 0}
    first = worker_of(web)
    with first:
        assert eventually(lambda: len(gateway.sent) == 1)
        model.script(Slow("too late", 60))
        gateway.deliver("And now?", CHAT)
        assert eventually(lambda: model.calls == 2)
        with worker_of(web):
            assert eventually(lambda: workers_up(web, 2))
            first.kill()
            killed = time.monotonic()
            assert eventually(lambda: len(gateway.sent) == 2)
            assert time.monotonic() - killed < 15
            assert [sent.text for sent in gateway.sent] == ["Here I am."] * 2
            # A stop is graceful: the turn that runs is finished and sent.
            model.script(Slow("Last words.", 2))
            gateway.deliver("Anything else?", CHAT)
            assert eventually(lambda: model.calls == 4)
        assert gateway.sent[-1].text == "Last words."
