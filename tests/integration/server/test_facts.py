"""A contact's facts over the API: listed, as of a day, corrected and forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from memory.errors import StoreUnavailable
from memory.ports.outages import Outages
from server.http.contacts import context
from server.service import Service
from tests.fakes.vectors import Gone
from tests.integration.server.conftest import Start
from tests.integration.server.running import Running

pytestmark = pytest.mark.anyio

URL = "/contacts/crm:7/facts"


@pytest.fixture
async def app(start: Start) -> AsyncIterator[Running]:
    """A server that was told where a contact lives, and of an allergy."""
    async with start() as running:
        for number, text in enumerate(["I live in Leeds and I'm vegan.", "I'm allergic to nuts."]):
            said = {
                "contact_id": "crm:7",
                "role": "user",
                "conversation_id": "ticket-1",
                "message": text,
                "message_id": str(number),
                "sent_at": "2026-03-01T09:00:00+00:00",
            }
            assert (await running.http.post("/ingest", json=said)).status_code == 202
        known: list[dict[str, Any]] = []
        async with asyncio.timeout(20):
            while len(known) < 3:
                await asyncio.sleep(0.05)
                known = await _facts(running)
        yield running


async def _facts(app: Running, query: str = "") -> list[dict[str, Any]]:
    answer = await app.http.get(URL + query)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["facts"]
    return found


async def _values(app: Running, query: str = "") -> list[str]:
    return [each["value"] for each in await _facts(app, query)]


async def test_facts_are_listed_with_who_said_them_when(app: Running) -> None:
    allergy, diet, home = await _facts(app)
    assert (allergy["key"], allergy["value"], allergy["how"]) == ("allergy", "nuts", "said")
    assert (home["who"], home["said_at"]) == ("crm:7", "2026-03-01T09:00:00+00:00")
    assert diet["source_uid"] == home["source_uid"]
    assert await _values(app, "?at=2026-02-28") == []
    assert await _values(app, "?at=2026-03-01") == ["nuts", "vegan", "Leeds"]
    assert await _values(app, "?at=2026-03-01&known=2026-03-01") == []


async def test_a_fact_is_corrected_and_its_history_tells_it(app: Running) -> None:
    answer = await app.http.put(f"{URL}/home", json={"value": "York"})
    assert answer.status_code == 200
    (home,) = answer.json()["facts"]
    assert (home["read_by"], home["span"]) == ("person", None)
    assert (home["value"], home["how"], home["confidence"]) == ("York", "corrected", 1.0)
    assert "York" in await _values(app)
    history = (await app.http.get(f"{URL}/home/history")).json()["history"]
    assert [(each["value"], each["status"]) for each in history] == [
        ("Leeds", "closed"),
        ("York", "active"),
    ]
    assert sorted(await _values(app, "?all=true")) == ["Leeds", "York", "nuts", "vegan"]
    assert await app.count("outbox") == 0
    spelt = {"value": "hazelnuts", "instead": "nuts"}
    answer = await app.http.put(f"{URL}/allergy", json=spelt)
    assert [each["value"] for each in answer.json()["facts"]] == ["hazelnuts"]


async def test_a_fact_is_marked_and_what_is_withheld_is_listed_for_the_owner_alone(
    app: Running,
) -> None:
    allergy, diet, _ = await _facts(app)
    answer = await app.http.patch(f"{URL}/{diet['fact_id']}", json={"mark": "pinned"})
    assert [each["mark"] for each in answer.json()["facts"]] == ["pinned"]
    hidden = {"mark": "withheld"}
    assert (await app.http.patch(f"{URL}/{allergy['fact_id']}", json=hidden)).status_code == 200
    assert await _values(app) == ["vegan", "Leeds"]
    every = await _facts(app, "?withheld=true")
    assert [each["mark"] for each in every] == ["withheld", "pinned", ""]
    assert "nuts" not in (await app.http.get("/context/crm:7?query=nuts")).text
    for body in ({}, {"value": "x", "mark": "pinned"}, {"mark": "loved"}):
        refused = await app.http.patch(f"{URL}/{diet['fact_id']}", json=body)
        assert refused.status_code == 422
    shown = await app.http.patch(f"{URL}/{allergy['fact_id']}", json={"mark": ""})
    assert shown.json()["facts"][0]["mark"] == ""
    assert await _values(app) == ["nuts", "vegan", "Leeds"]


async def test_a_fact_is_forgotten_with_the_message_that_told_it(app: Running) -> None:
    answer = await app.http.delete(f"{URL}/allergy", params={"value": "nuts"})
    assert answer.status_code == 200
    gone = answer.json()
    assert gone["forgotten"] == [{"key": "allergy", "value": "nuts"}]
    assert len(gone["withheld"]) == 1
    kept = (await app.http.delete(f"{URL}/diet")).json()
    assert (len(kept["withheld"]), len(kept["shortened"])) == (0, 1)
    assert await _values(app) == ["Leeds"]
    found = await app.http.get("/contacts/crm:7/context?query=nuts allergic")
    assert "nuts" not in found.json()["context"]


async def test_a_key_is_forgotten_with_what_it_held_before(app: Running) -> None:
    assert (await app.http.put(f"{URL}/home", json={"value": "Pune"})).status_code == 200
    gone = (await app.http.delete(f"{URL}/home")).json()
    assert [each["value"] for each in gone["forgotten"]] == ["Pune", "Leeds"]
    assert (await app.http.delete(f"{URL}/home")).status_code == 404


async def test_a_contacts_context_says_once_which_store_is_missing(app: Running) -> None:
    stores = app.service.agent.stores
    gone = Gone(StoreUnavailable("RECOLLECT_NEO4J_URI", "bolt://there", "Connection refused"))
    broken = replace(stores.memory, facts=gone, outages=Outages({"facts": 1.0}))
    agent = SimpleNamespace(stores=replace(stores, memory=broken))
    service = cast("Service", SimpleNamespace(agent=agent, settings=stores.settings))
    found = await context("crm:7", service, "Am I allergic to nuts?", 5)
    assert found["missing"] == ["facts"]
    assert found["messages"]


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "problem"),
    [
        ("PUT", "/shoe", {"value": "42"}, 422, "no kind of fact called “shoe”"),
        ("PUT", "/home", {"value": ""}, 422, "the value is empty"),
        ("PUT", "/home", {"value": "x" * 241}, 422, "241 characters"),
        ("PUT", "/home", {"value": 7}, 422, "body.value"),
        ("PUT", "/home", {"values": "York"}, 422, "body.value"),
        ("PUT", "/home", {"value": "York", "instead": "Bath"}, 404, "no such value"),
        ("DELETE", "/pet", None, 404, "nothing of the kind is known"),
        ("DELETE", "/home?value=Bath", None, 404, "nothing of the kind is known"),
        ("DELETE", "/shoe", None, 422, "no kind of fact"),
        ("GET", "/shoe/history", None, 422, "no kind of fact"),
        ("GET", "?at=someday", None, 422, "query.at: a day is written"),
        ("GET", "?known=1", None, 422, "query.known: a day is written"),
        ("GET", "?at=2026-03-01&all=true", None, 422, "not for both"),
        ("PUT", "/%00%1b", {"value": "x"}, 422, "key: may hold no control characters"),
        ("PUT", "/" + "k" * 61, {"value": "x"}, 422, "key"),
    ],
)
async def test_bad_input_gets_one_line(
    start: Start, method: str, path: str, body: dict[str, object] | None, status: int, problem: str
) -> None:
    async with start(with_worker=False) as app:
        answer = await app.http.request(method, URL + path, json=body)
        assert answer.status_code == status
        error = answer.json()["error"]
        assert problem in error
        assert "\n" not in error
        assert await app.count("messages") == 0
