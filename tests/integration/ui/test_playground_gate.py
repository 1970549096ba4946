"""The playground behind the gate: no route of Gradio's answers whom the gate refuses."""

from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from pydantic import SecretStr

from graph.bootstrap import agent_on
from graph.settings import BadSettings
from graph.stores import Stores
from ui.playground.serving import application, run_playground

pytestmark = pytest.mark.anyio

KEY = "a-key-of-many-characters"
ROUTES = (
    ("GET", "/"),
    ("GET", "/config"),
    ("GET", "/contacts/web:me/export"),
    ("GET", "/theme.css"),
    ("GET", "/login_check"),
    ("GET", "/static/img/logo.svg"),
    ("GET", "/gradio_api/info"),
    ("GET", "/gradio_api/queue/status"),
    ("GET", "/gradio_api/queue/data?session_hash=x"),
    ("GET", "/gradio_api/heartbeat/x"),
    ("GET", "/gradio_api/file=/etc/passwd"),
    ("POST", "/gradio_api/queue/join"),
    ("POST", "/gradio_api/run/predict"),
    ("POST", "/gradio_api/upload"),
    ("HEAD", "/"),
    ("OPTIONS", "/gradio_api/queue/join"),
)


def playground(stores: Stores, key: str | None, path: str = "/") -> FastAPI:
    settings = stores.settings.model_copy(update={"api_key": SecretStr(key) if key else None})
    return application(agent_on(replace(stores, settings=settings)), path)


async def statuses(app: FastAPI, prefix: str = "", **headers: str) -> set[int]:
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:7860") as http:
        return {
            (await http.request(method, prefix + path, headers=headers)).status_code
            for method, path in ROUTES
        }


@pytest.mark.parametrize("path", ["/", "/ui"])
async def test_no_route_answers_without_the_key(stores: Stores, path: str) -> None:
    app = playground(stores, KEY, path)
    for given in ("", "Basic Og==", "Bearer wrong"):
        assert await statuses(app, path.rstrip("/"), Authorization=given) == {401}


async def test_no_route_answers_a_rebound_name_or_a_proxy_without_a_key(stores: Stores) -> None:
    app = playground(stores, None)
    assert await statuses(app, Host="evil.example:7860") == {403}
    assert await statuses(app, **{"X-Forwarded-For": "127.0.0.1"}) == {403}
    assert await statuses(app, Origin="https://evil.example") == {403}


async def test_a_browser_is_asked_for_the_key_and_let_in_with_it(stores: Stores) -> None:
    transport = httpx.ASGITransport(playground(stores, KEY))
    async with httpx.AsyncClient(transport=transport, base_url="http://playground.lan") as http:
        asked = await http.get("/")
        assert asked.headers["www-authenticate"].startswith("Basic ")
        typed = "Basic " + base64.b64encode(f":{KEY}".encode()).decode()
        page = await http.get("/", headers={"Authorization": typed})
        assert page.status_code == 200
        assert "Recollect" in page.text


async def test_no_other_page_shows_it_in_a_frame(stores: Stores) -> None:
    transport = httpx.ASGITransport(playground(stores, None))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:7860") as http:
        page = await http.get("/")
    assert page.headers["x-frame-options"] == "DENY"
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]


async def test_a_socket_of_a_stranger_is_closed(stores: Stores) -> None:
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:  # Any: an ASGI message
        sent.append(message)

    scope = {"type": "websocket", "path": "/gradio_api/queue/join", "headers": []}
    await playground(stores, KEY)(scope, receive, send)
    assert [(message["type"], message["code"]) for message in sent] == [("websocket.close", 1008)]


def test_it_does_not_start_for_other_machines_without_a_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RECOLLECT_DATA_DIR", str(tmp_path))
    with pytest.raises(BadSettings, match="RECOLLECT_API_KEY: set a key"):
        run_playground("0.0.0.0", None, open_browser=False)
