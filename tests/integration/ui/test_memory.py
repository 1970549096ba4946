"""`recollect memory`: figures of a tenant, and a search in what a contact may hear."""

from __future__ import annotations

import json

import pytest

from graph.settings import Settings
from graph.stores import Stores
from tests.fakes.exports import MadeExport, entry
from tests.integration.importing.counting import take
from ui.cli.memory import read_status, search_lines, search_memory, status_text

pytestmark = pytest.mark.anyio

CHAT = MadeExport(
    [
        entry("The new cat is\ncalled Pimenta \x1b[31m", "Anna", 1),
        entry("I'm allergic to peanuts", "Max", 2),
        entry("Max left", number=3, is_system=True),
    ]
)


async def test_status_counts_what_a_tenant_has(stores: Stores, settings: Settings) -> None:
    await take(stores, CHAT)
    found = await read_status(settings)
    assert found["messages"] == {"contact": 2, "system": 1}
    assert (found["chats"], found["contacts"], found["facts"]) == (1, 2, {"constraint": 1})
    assert found["vectors"] == {"message": 2, "knowledge": 1}
    assert found["embedder"] == "all-MiniLM-L6-v2/384/l2"
    assert (found["first"], found["last"]) == (
        "2025-01-01T09:01:00+00:00",
        "2025-01-01T09:03:00+00:00",
    )
    (imported,) = found["imports"]
    assert (imported["file"], imported["position"], imported["total"]) == ("made.jsonl", 3, 3)
    assert json.loads(json.dumps(found)) == found
    text = status_text(found)
    assert "3  (2 contact, 1 system)" in text
    assert "made.jsonl  jsonl  3 messages  web:me is Max  finished" in text


async def test_status_of_nothing(settings: Settings) -> None:
    text = status_text(await read_status(settings))
    assert "messages   0" in text
    assert text.endswith("none")


async def test_search_finds_what_the_contact_may_hear(stores: Stores, settings: Settings) -> None:
    await take(stores, CHAT)
    found = await search_memory(settings, "me", "what is the cat called", 5)
    best = next(each for each in found if each["kind"] == "message")
    assert (best["who"], best["at"]) == ("Anna", "2025-01-01T09:01:00+00:00")
    assert best["score"] > 0
    assert {"lexical", "dense"} <= set(best["parts"])
    assert await search_memory(settings, "bob", "what is the cat called", 5) == []
    assert await search_memory(settings, "jsonl:Anna", "what is the cat called", 5) == []
    line = next(line for line in search_lines(found) if "Anna" in line)
    assert "Anna: The new cat is called Pimenta [31m" in line


async def test_search_shows_a_fact_that_fits(stores: Stores, settings: Settings) -> None:
    await take(stores, CHAT)
    found = await search_memory(settings, "me", "am I allergic to peanuts?", 5)
    assert found[0]["kind"] == "fact"
    assert "peanuts" in found[0]["text"]
    assert "fact: " in search_lines(found)[0]
