"""`langgraph dev` with a key: no route answers without it, and with it the caller is the owner."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx
import psycopg
import pytest
from langgraph_sdk import get_sync_client

from tests.drivers.studio import Studio
from tests.stores import database_url, store_environment

KEY = "a-key-of-many-characters"
THREAD = str(uuid4())
ROUTES = (
    ("GET", "/info"),
    ("GET", "/metrics"),
    ("GET", "/openapi.json"),
    ("POST", "/assistants/search"),
    ("POST", "/threads/search"),
    ("POST", "/threads"),
    ("GET", f"/threads/{THREAD}/state"),
    ("POST", "/runs/wait"),
    ("POST", "/store/items/search"),
    ("POST", "/mcp/"),
    ("GET", f"/internal/debug/thread/{THREAD}"),
    ("POST", "/internal/truncate"),
    ("GET", "/deploy"),
    ("GET", "/ui/agent"),
)


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    folder = tmp_path_factory.mktemp("studio")
    with Studio(store_environment(folder) | {"RECOLLECT_API_KEY": KEY}, folder) as running:
        yield running


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"X-Api-Key": ""},
        {"X-Api-Key": KEY, "Authorization": "Bearer wrong"},
        {"X-Auth-Scheme": "langsmith"},
        {"X-Auth-Scheme": "langsmith", "X-Api-Key": "lsv2_of_somebody"},
    ],
)
def test_no_route_answers_without_the_key(studio: Studio, headers: dict[str, str]) -> None:
    with httpx.Client(base_url=studio.url, headers=headers, timeout=30) as http:
        found = {path: http.request(method, path).status_code for method, path in ROUTES}
        assert found == dict.fromkeys(found, 401)
        assert http.get("/ok").is_success


@pytest.mark.parametrize("headers", [{"X-Api-Key": KEY}, {"Authorization": f"Bearer {KEY}"}])
def test_the_key_makes_its_holder_the_owner_and_is_written_nowhere(
    studio: Studio, headers: dict[str, str]
) -> None:
    thread = str(uuid4())
    # The SDK sends keys of LangSmith that it finds in the environment, unless it is told not to.
    with get_sync_client(url=studio.url, api_key=None, headers=headers) as client:
        for text, reply in (("My name is Alex.", "Alex"), ("/facts", "- name: Alex")):
            said: Any = {"messages": [{"role": "user", "content": text}]}
            somebody: Any = {"contact": "kim"}
            ended: Any = client.runs.wait(
                thread,
                "agent",
                input=said,
                context=somebody,
                if_not_exists="create",
                durability="sync",
            )
            assert reply in ended["messages"][-1]["content"]
    with psycopg.connect(database_url(studio.stores)) as connection:
        (kept,) = connection.execute(
            "select string_agg(c::text, '') from recollect.checkpoints c where thread_id = %s",
            [thread],
        ).fetchone() or ("",)
    assert thread in kept
    assert KEY not in kept
    assert KEY not in studio.log
