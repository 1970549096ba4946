"""Whatever is asked of the routes on contacts: an answer or one line of what is wrong, no 5xx."""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.integration.server.conftest import Start
from tests.integration.server.running import Running
from tests.unit.channels.waha_shapes import JSON

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(
    ["crm:7", "\x00", "9" * 30, "-1", "../..", "2026-03-01", "0001-01-01", "9999-12-31T23:59-14:00"]
)
ROUTES = (
    ("GET", "/context/{}?query={}"),
    ("GET", "/contacts?search={}&after={}"),
    ("GET", "/contacts/{}/timeline?before={}"),
    ("GET", "/contacts/{}/facts?as_of={}"),
    ("GET", "/contacts/{}/entities"),
    ("PATCH", "/contacts/{}/facts/{}"),
    ("DELETE", "/contacts/{}/facts/{}"),
    ("POST", "/ingest"),
)


@pytest.fixture
async def app(start: Start) -> AsyncIterator[Running]:
    async with start(with_worker=False) as started:
        yield started


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(route=st.sampled_from(ROUTES), one=TEXT, other=TEXT, body=JSON)
async def test_no_request_is_a_5xx(
    app: Running, route: tuple[str, str], one: str, other: str, body: object
) -> None:
    method, path = route
    url = path.format(quote(one, safe=""), quote(other, safe=""))
    given_body = body if method in ("PATCH", "POST") else None
    answer = await app.http.request(method, url, json=given_body)
    assert answer.status_code < 500, (method, url, answer.text)
    if answer.status_code >= 400:
        assert "\n" not in answer.json()["error"]


async def test_every_new_route_is_told_with_an_example(app: Running) -> None:
    paths = (await app.http.get("/openapi.json")).json()
    described = paths["paths"]
    assert described["/context/{contact_id}"]["get"]
    assert "example" in paths["components"]["schemas"]["ContactContext"]
    for path, method in (("/ingest", "post"), ("/contacts/{contact_id}/facts/{fact_id}", "patch")):
        content = described[path][method]["requestBody"]["content"]["application/json"]
        assert content["example"]
