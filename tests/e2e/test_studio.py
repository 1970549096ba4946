"""`langgraph dev`, driven by the SDK: what Studio shows, and memory that outlives kill -9."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

from tests.drivers.studio import Studio
from tests.stores import store_environment

NODES = {"normalize", "policy_gate", "retrieve", "generate", "store", "extract"}
STUDIO = "https://smith.langchain.com"


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    folder = tmp_path_factory.mktemp("studio")
    with Studio(store_environment(folder) | {"RECOLLECT_CONTACT": "kim"}, folder) as running:
        yield running


@pytest.fixture
def client(studio: Studio) -> Iterator[SyncLangGraphClient]:
    with get_sync_client(url=studio.url) as opened:
        yield opened


def _said(text: str) -> dict[str, Any]:
    # With an id: a run that the killed server had not noted as done is done again.
    return {"messages": [{"role": "user", "content": text, "id": str(uuid4())}]}


def _answer(client: SyncLangGraphClient, thread: str, text: str, **options: Any) -> str:
    ended = client.runs.wait(
        thread, "agent", input=_said(text), if_not_exists="create", durability="sync", **options
    )
    assert isinstance(ended, dict)
    assert ended["messages"][-1]["type"] == "ai"
    return str(ended["messages"][-1]["content"])


def _agent(client: SyncLangGraphClient) -> str:
    return str(client.assistants.search()[0]["assistant_id"])


def test_studio_is_shown_the_six_nodes(client: SyncLangGraphClient) -> None:
    graph: Any = client.assistants.get_graph(_agent(client))
    assert {str(node["id"]) for node in graph["nodes"]} - {"__start__", "__end__"} == NODES


def test_studio_is_shown_the_settings_and_a_message_box(client: SyncLangGraphClient) -> None:
    schemas: Any = client.assistants.get_schemas(_agent(client))
    settings = schemas["context_schema"]["properties"]
    assert {"contact", "tenant", "persona", "reply_direct", "reply_group", "window"} <= set(
        settings
    )
    assert all(setting["description"] for setting in settings.values())
    assert "required" not in schemas["context_schema"]
    assert schemas["input_schema"]["properties"]["messages"]["type"] == "array"


def test_a_conversation_outlives_kill_9(studio: Studio, client: SyncLangGraphClient) -> None:
    thread = str(uuid4())
    told = "My name is Alex, I live in Lisbon and I'm allergic to peanuts."
    _answer(client, thread, told)
    assert "Alex" in _answer(client, thread, "What's my name?")
    studio.kill()
    studio.start()
    assert "Lisbon" in _answer(client, thread, "Where do I live?")
    messages: Any = client.threads.get_state(thread)["values"]
    assert messages["messages"][0]["content"] == told
    assert len(messages["messages"]) == 6
    # The contact that the server's settings name is meant where a run names none.
    assert "Alex" in _answer(client, str(uuid4()), "What's my name?")
    assert "Alex" in _answer(client, str(uuid4()), "What's my name?", context={"contact": "kim"})
    stranger = _answer(client, str(uuid4()), "What's my name?", context={"contact": "bo"})
    assert "Alex" not in stranger


def test_a_turn_cut_short_by_kill_9_goes_on_where_it_stopped(
    studio: Studio, client: SyncLangGraphClient
) -> None:
    thread, somebody = str(uuid4()), {"contact": "cut"}
    client.runs.wait(
        thread,
        "agent",
        input=_said("My name is Ines."),
        context=somebody,
        if_not_exists="create",
        durability="sync",
        interrupt_before=["generate"],
    )
    studio.kill()
    studio.start()
    ended: Any = client.runs.wait(
        thread, "agent", context=somebody, if_not_exists="create", durability="sync"
    )
    assert [message["type"] for message in ended["messages"]] == ["human", "ai"]
    assert "Ines" in _answer(client, thread, "What's my name?", context=somebody)


def test_a_rolled_back_run_leaves_its_thread_usable(client: SyncLangGraphClient) -> None:
    thread, somebody = str(uuid4()), {"contact": "rollback"}
    _answer(client, thread, "My dog is called Rex.", context=somebody)
    first = client.runs.create(
        thread, "agent", input=_said("I like tea. " * 3000), context=somebody, durability="sync"
    )
    deadline = time.monotonic() + 20
    while client.runs.get(thread, first["run_id"])["status"] == "pending":
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert client.runs.get(thread, first["run_id"])["status"] == "running"
    _answer(client, thread, "My name is Olga.", context=somebody, multitask_strategy="rollback")
    assert "Olga" in _answer(client, thread, "What's my name?", context=somebody)
    state = client.threads.get_state(thread)
    assert state["next"] == []
    assert all(run["run_id"] != first["run_id"] for run in client.runs.list(thread))
    kept: Any = client.threads.get_history(thread, limit=100)
    assert all(each["metadata"]["run_id"] != first["run_id"] for each in kept)


def test_a_bad_option_fails_its_run_and_is_named(
    studio: Studio, client: SyncLangGraphClient
) -> None:
    thread = str(uuid4())
    ended = client.runs.wait(
        thread,
        "agent",
        input=_said("hello"),
        context={"window": 3},
        if_not_exists="create",
        raise_error=False,
    )
    assert isinstance(ended, dict)
    told = "context.window must be a whole number from 10 to 50."
    assert ended["__error__"] == {"error": "BadOptions", "message": told}
    assert told in studio.log
    assert _answer(client, thread, "hello")


def test_whoever_is_refused_reads_why(client: SyncLangGraphClient) -> None:
    thread, told = str(uuid4()), "I am allergic to kiwis."

    def error(given: Any, **somebody: Any) -> Any:
        context: Any = somebody or None
        ended: Any = client.runs.wait(
            thread,
            "agent",
            input=given,
            context=context,
            if_not_exists="create",
            durability="sync",
            raise_error=False,
        )
        return ended["__error__"]

    _answer(client, thread, told, context={"contact": "ya"})
    asked = "What am I allergic to?"
    for somebody in ({"contact": "yb"}, {"contact": "yb", "tenant": "acme"}, {}):
        refused = error(_said(asked), **somebody)
        assert refused["error"] == "InvalidMessage"
        assert refused["message"].endswith("is another contact's: name one of this contact's own.")
    last_is_the_models = {"messages": [{"role": "assistant", "content": "hello"}]}
    refused = error(last_is_the_models, contact="ya")
    assert refused["message"] == "There is no message to answer: send a human message."
    window: Any = client.runs.wait(thread, "agent", input=_said("ok"), context={"contact": "ya"})
    assert asked not in [each["content"] for each in window["messages"]]


def test_a_context_with_an_unknown_field_is_refused(client: SyncLangGraphClient) -> None:
    context: Any
    for context in ({"Contact": "xa"}, {"contact": "xa", "foo": 5}):
        with pytest.raises(httpx.HTTPStatusError, match="422") as caught:
            _answer(client, str(uuid4()), "hello", context=context)
        assert "is no field of a run's context: contact, tenant" in caught.value.response.text
    thread, context = str(uuid4()), {"contact": ["a"]}
    ended: Any = client.runs.wait(
        thread,
        "agent",
        input=_said("hello"),
        context=context,
        if_not_exists="create",
        raise_error=False,
    )
    assert ended["__error__"]["message"] == "context.contact must be a text."


def test_the_servers_store_is_the_memory(studio: Studio, client: SyncLangGraphClient) -> None:
    _answer(client, str(uuid4()), "I live in Faro.", context={"contact": "stored"})
    theirs = (studio.stores["RECOLLECT_TENANT"], "web:stored")
    said = client.store.search_items((*theirs, "messages"))["items"]
    assert "I live in Faro." in [item["value"]["text"] for item in said]
    home = client.store.get_item((*theirs, "facts"), "home")
    assert home["value"]["value"] == "Faro"
    client.store.put_item((*theirs, "notes"), "pays", {"text": "Pays in cash."})
    assert client.store.get_item((*theirs, "notes"), "pays")["value"] == {"text": "Pays in cash."}
    with pytest.raises(httpx.HTTPStatusError, match="a namespace is .TENANT, CONTACT") as refused:
        client.store.put_item(("users", "1"), "k", {"a": 1})
    assert refused.value.response.status_code == 422


def test_only_studio_and_local_pages_may_read_answers(studio: Studio) -> None:
    def preflight(origin: str) -> httpx.Response:
        asked = {
            "Origin": origin,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Private-Network": "true",
        }
        return httpx.options(f"{studio.url}/threads", headers=asked)

    assert preflight(STUDIO).headers["access-control-allow-private-network"] == "true"
    assert preflight(STUDIO).is_success
    assert preflight("http://localhost:3000").is_success
    assert preflight("https://elsewhere.example").status_code == 400
    read = httpx.get(f"{studio.url}/info", headers={"Origin": "https://elsewhere.example"})
    assert "access-control-allow-origin" not in read.headers


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example:2024"},
        {"X-Forwarded-For": "127.0.0.1"},
        {"Origin": "https://elsewhere.example"},
    ],
)
def test_without_a_key_only_this_machine_runs_anything(
    studio: Studio, headers: dict[str, str]
) -> None:
    with httpx.Client(base_url=studio.url, headers=headers, timeout=30) as http:
        for path in ("/threads/search", "/runs/wait", "/internal/truncate"):
            assert http.post(path, content=b"{}").status_code == 403
