"""What OpenAPI says of the routes is so, and whatever is asked of them: no 5xx."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode

from graph.settings import Settings
from server.app import create_app
from tests.integration.server.conftest import Start
from tests.integration.server.running import Running

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.timeout(300),
    # Of hypothesis-jsonschema, about itself.
    pytest.mark.filterwarnings("ignore:Overriding standard format"),
]

KNOWN = "crm:7"
HOME = f"/contacts/{KNOWN}/facts/home"
DESCRIBED: dict[str, Any] = create_app(Settings.model_construct()).openapi()
ODD = st.sampled_from(["\x00", "9" * 30, "-1", "../..", "0001-01-01", "9999-12-31T23:59-14:00"])


def _cases() -> st.SearchStrategy[schemathesis.Case]:
    """Return requests as OpenAPI describes them, and such as it forbids, to every route."""
    schema = schemathesis.openapi.from_dict(DESCRIBED)
    routes = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
    assert len(routes) > 15
    return st.one_of(
        [route.as_strategy(generation_mode=mode) for route in routes for mode in GenerationMode]
    )


@pytest.fixture
async def app(start: Start) -> AsyncIterator[Running]:
    async with start(with_worker=False) as started:
        yield started


async def _know(app: Running) -> dict[str, str]:
    """Let something be known of a contact; return what parameters may name it."""
    said = {"contact_id": KNOWN, "message": "Hello!", "role": "user", "conversation_id": "t-1"}
    assert (await app.http.post("/ingest", json=said)).status_code == 202
    answer = await app.http.put(HOME, json={"value": "Leeds"})
    (fact,) = answer.json()["facts"]
    return {"contact_id": KNOWN, "key": "home", "fact": fact["fact_id"]}


@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.filter_too_much,
    ],
)
@given(case=_cases(), is_known=st.booleans(), odd=st.none() | ODD)
async def test_no_request_is_a_5xx(
    app: Running, case: schemathesis.Case, is_known: bool, odd: str | None
) -> None:
    known = await _know(app) if is_known else {}
    named = dict(case.path_parameters or {})
    if case.method == "PATCH" and is_known:
        known["key"] = known["fact"]
    case.path_parameters = named | {name: known[name] for name in named.keys() & known.keys()}
    request = case.as_transport_kwargs("http://127.0.0.1")
    asked = {name: odd or value for name, value in dict(request.get("params") or {}).items()}
    body = {"json": request["json"]} if "json" in request else {"content": request.get("data")}
    answer = await app.http.request(
        case.method, request["url"], params={n: _plain(v) for n, v in asked.items()}, **body
    )
    assert answer.status_code < 500, (case.as_curl_command(), answer.text)
    if answer.status_code >= 400 and answer.headers.get("content-type") == "application/json":
        assert "\n" not in answer.json()["error"]


def _plain(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, dict | list) else value


def _shown(responses: dict[str, Any]) -> Iterator[Any]:
    for status in ("200", "202"):
        told = responses.get(status, {}).get("content", {})
        content = told.get("application/json") or told.get("application/zip", {})
        schema = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
        if "example" in content:
            yield content["example"]
        elif schema:
            yield DESCRIBED["components"]["schemas"][schema]["example"]


@pytest.mark.parametrize(
    ("method", "path"),
    [(method, path) for path, routes in DESCRIBED["paths"].items() for method in routes],
)
def test_every_route_is_told_with_an_example(method: str, path: str) -> None:
    route = DESCRIBED["paths"][path][method]
    assert len(list(_shown(route["responses"]))) == 1
    if method in ("post", "put", "patch"):
        assert route["requestBody"]["content"]["application/json"]["example"]


async def test_examples_have_the_fields_of_real_answers(start: Start) -> None:
    async with start() as app:
        await _know(app)
        said = {"contact_id": KNOWN, "role": "user", "conversation_id": "t-1"}
        for text in ("I'll send you the signed lease tomorrow", "I have a dog named Bruno."):
            answer = await app.http.post("/ingest", json=said | {"message": text})
            example = _example("post", "/ingest")
            assert answer.json().keys() == example.keys()
        await app.service.agent.stores.projector.caught_up()
        for path in DESCRIBED["paths"]:
            if "get" not in DESCRIBED["paths"][path] or not path.startswith("/contacts"):
                continue
            url = path.format(contact_id=KNOWN, key="home")
            answer = await app.http.get(url, params={"query": "where do I live, and my dog"})
            assert answer.status_code == 200, (url, answer.text)
            if answer.headers["content-type"] == "application/zip":
                assert ZipFile(BytesIO(answer.content)).testzip() is None
                continue
            _same_fields(_example("get", path), answer.json(), path)
        answer = await app.http.delete(HOME)
        _same_fields(_example("delete", "/contacts/{contact_id}/facts/{key}"), answer.json(), HOME)
        gone = f"/contacts/{KNOWN}"
        answer = await app.http.delete(gone)
        _same_fields(_example("delete", "/contacts/{contact_id}"), answer.json(), gone)
        unknown = {"error": f"nothing is kept of {KNOWN}"}
        answer = await app.http.delete(gone)
        assert (answer.status_code, answer.json()) == (404, unknown)


def _example(method: str, path: str) -> Any:
    (example,) = _shown(DESCRIBED["paths"][path][method]["responses"])
    return example


def _same_fields(example: Any, real: Any, where: str) -> None:
    """Hold an example to an answer: the same fields, down to the first of each list."""
    if isinstance(example, dict) and isinstance(real, dict):
        if not where.endswith((".parts", ".metadata", ".unanswered", ".counts", ".left")):
            # OpenAPI's examples come without what is null.
            told = {name for name, value in real.items() if value is not None}
            assert told <= example.keys() <= real.keys(), where
        for name in example.keys() & real.keys():
            _same_fields(example[name], real[name], f"{where}.{name}")
    elif isinstance(example, list) and isinstance(real, list) and example and real:
        _same_fields(example[0], real[0], where)
