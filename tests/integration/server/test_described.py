"""The OpenAPI document tells how calls fail and what they ask for, and it is so."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from graph.settings import Settings
from server.app import create_app
from server.http.body import MAX_BODY_BYTES
from server.http.document import Failure
from tests.integration.server.conftest import Start
from tests.integration.server.running import Running

pytestmark = pytest.mark.anyio

DESCRIBED: dict[str, Any] = create_app(Settings.model_construct()).openapi()
ROUTES = [
    (method, path, route)
    for path, routes in DESCRIBED["paths"].items()
    for method, route in routes.items()
]
FAILURE = {"$ref": "#/components/schemas/Failure"}
KEY = "a-key-of-sixteen-characters"
SAID = {"contact_id": "crm:7", "message": "Hi", "role": "user", "conversation_id": "t-1"}


@pytest.mark.parametrize(("method", "path", "route"), ROUTES)
def test_a_route_tells_its_failures_its_keys_and_its_body(
    method: str, path: str, route: dict[str, Any]
) -> None:
    failing = {name: told for name, told in route["responses"].items() if name >= "400"}
    if path != "/health":
        assert {"401", "422", "503"} <= failing.keys()
        for told in failing.values():
            assert told["content"]["application/json"]["schema"] == FAILURE
    names = {name for each in route["security"] for name in each}
    assert names
    assert names <= DESCRIBED["components"]["securitySchemes"].keys()
    assert (method in ("post", "put", "patch")) == ("requestBody" in route)


def test_no_two_paths_differ_in_the_names_of_their_parameters_alone() -> None:
    shapes = [re.sub(r"{[^}]*}", "{}", path) for path in DESCRIBED["paths"]]
    assert len(shapes) == len(set(shapes))
    assert "HTTPValidationError" not in DESCRIBED["components"]["schemas"]


@pytest.mark.parametrize(("method", "path", "route"), ROUTES)
def test_a_route_is_on_the_page_of_the_api(method: str, path: str, route: dict[str, Any]) -> None:
    page = Path("docs/http-api.md").read_text(encoding="utf-8")
    (row,) = [line for line in page.splitlines() if line.startswith(f"| `{method.upper()} {path}`")]
    named = {each["name"] for each in route.get("parameters", []) if each["in"] == "query"}
    body = route.get("requestBody", {}).get("content", {}).get("application/json", {})
    for name in named | body.get("schema", {}).get("properties", {}).keys():
        assert f"`{name}`" in row, name
    further = {"404", "409"} & route["responses"].keys()
    assert all(status in row.rpartition("|")[0] for status in further), further


async def _fails(app: Running, method: str, path: str, **given: Any) -> int:
    """Return the status of a failure that the document tells of."""
    answer = await app.http.request(method, path, **given)
    Failure.model_validate(answer.json(), extra="forbid")
    told = path.partition("?")[0].replace("crm:7", "{contact_id}").replace("/home", "/{key}")
    assert str(answer.status_code) in DESCRIBED["paths"][told][method.lower()]["responses"]
    return answer.status_code


async def test_calls_fail_as_the_document_says(start: Start) -> None:
    async with start(with_worker=False) as app:
        large = {"content": b"x" * (MAX_BODY_BYTES + 1)}
        assert await _fails(app, "POST", "/ingest", **large) == 413
        assert await _fails(app, "POST", "/ingest", json={}) == 422
        told = SAID | {"message_id": "1"}
        assert (await app.http.post("/ingest", json=told)).status_code == 202
        assert await _fails(app, "POST", "/ingest", json=told | {"message": "Ho"}) == 409
        facts = "/contacts/crm:7/facts"
        assert await _fails(app, "PUT", f"{facts}/home", **large) == 413
        instead = {"value": "York", "instead": "Bath"}
        assert await _fails(app, "PUT", f"{facts}/home", json=instead) == 404
        assert await _fails(app, "DELETE", f"{facts}/home") == 404
        assert await _fails(app, "GET", "/contacts?limit=0") == 422
        away = httpx.ASGITransport(app.app, client=("192.0.2.7", 4000))
        async with httpx.AsyncClient(transport=away, base_url="http://server") as http:
            assert (await http.get("/contacts")).status_code == 403


async def test_a_key_is_asked_for_where_one_is_set(start: Start) -> None:
    async with start(with_worker=False, RECOLLECT_API_KEY=KEY) as app:
        assert await _fails(app, "GET", "/contacts") == 401
        for headers in ({"Authorization": f"Bearer {KEY}"}, {"X-Api-Key": KEY}):
            assert (await app.http.get("/contacts", headers=headers)).status_code == 200
        assert (await app.http.get("/contacts", auth=("any", KEY))).status_code == 200
