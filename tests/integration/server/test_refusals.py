"""Whatever is refused gets one line for whoever asked: no setting, no pattern, no command."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from graph.settings import Settings
from server.app import create_app
from tests.integration.server.conftest import Start

pytestmark = pytest.mark.anyio

UID = "00000000-0000-4000-8000-000000000000"
NAMED = {"contact_id": "crm:7", "key": "home", "fact_id": UID, "turn_id": UID, "account": "1"}
ODD = ("\x00", "a\x00b", "9" * 30, "-1", "x y", "x" * 5_000, "0001-01-01", "org/team/7", "é")
LEAKS = ("RECOLLECT_DATABASE_URL", "Value error", "pattern", "SQLSTATE", "recollect ", "^[")
DESCRIBED: dict[str, Any] = create_app(Settings.model_construct()).openapi()


async def test_no_refusal_leaks_how_it_is_made(start: Start) -> None:
    asked = [
        (method, path, each["name"], each["in"])
        for path, routes in DESCRIBED["paths"].items()
        for method, route in routes.items()
        for each in route.get("parameters", [])
        if not path.startswith("/webhooks")
    ]
    async with start(with_worker=False) as app:
        await app.http.put("/contacts/crm:7/facts/home", json={"value": "Leeds"})
        for method, path, name, where in asked:
            for odd in ODD:
                named = NAMED | ({name: odd} if where == "path" else {})
                url = path.format(**{key: quote(value, safe="") for key, value in named.items()})
                query = {} if where == "path" else {name: odd}
                body = {"value": "Leeds"} if method in ("put", "patch") else None
                answer = await app.http.request(method, url, params=query, json=body)
                if answer.status_code >= 400:
                    line = answer.json()["error"]
                    assert not [each for each in LEAKS if each in line], (method, url, line)
                # A slash makes it another address.
                if "/" not in odd:
                    told = DESCRIBED["paths"][path][method]["responses"]
                    assert str(answer.status_code) in told, (method, url, answer.text)


@pytest.mark.parametrize(
    ("method", "path", "status", "line"),
    [
        ("GET", "/nowhere", 404, "/openapi.json lists those that there are"),
        ("POST", "/contacts", 405, "Allow names those that it takes"),
        ("GET", "/contacts/crm:7/facts?at=2026-01-01&as_of=2026-01-01", 422, "send either"),
        ("GET", f"/contacts/crm:7/messages?before={'9' * 23}", 422, "query.before: "),
        ("DELETE", "/contacts/crm:7/facts/home", 404, "GET /contacts/crm:7/facts lists what is"),
        ("GET", "/receipts?chat=api/ingest/t-1", 422, "never answered"),
    ],
)
async def test_a_refusal_says_what_to_do(
    start: Start, method: str, path: str, status: int, line: str
) -> None:
    async with start(with_worker=False) as app:
        answer = await app.http.request(method, path)
        assert (answer.status_code, line in answer.json()["error"]) == (status, True), answer.text
        assert status != 405 or answer.headers["allow"] == "GET"
