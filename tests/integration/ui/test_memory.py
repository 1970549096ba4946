"""`recollect memory`: figures of a tenant, and a search in what a contact may hear."""

from __future__ import annotations

import json
import re

import pytest

from graph.settings import Settings
from graph.stores import Stores
from memory.domain.answers import Refusal
from tests.fakes.exports import MadeExport, entry
from tests.fakes.openai_server import OpenAIServer
from tests.integration.importing.counting import take
from tests.messages import message
from ui.cli.memory import (
    ORDER,
    Searched,
    read_rejections,
    rejection_line,
    search_lines,
    search_memory,
)
from ui.cli.memory_status import read_status, status_text

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
    assert (found["chats"], found["contacts"], found["facts"]) == (
        1,
        2,
        {"constraint": 1, "identity": 1},
    )
    assert found["vectors"] == {"message": 2, "knowledge": 2, "episode": 1}
    assert found["embedder"] == "all-MiniLM-L6-v2+recall/1/384/l2"
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


async def test_rejections_are_listed_without_what_was_read(
    stores: Stores, settings: Settings
) -> None:
    assert await read_rejections(settings, 10) == []
    said = message("walnuts and me", tenant=settings.tenant)
    await stores.memory.ledger.record([said], history=True)
    refusals = [Refusal(said.uid, "allergy", "quote"), Refusal(said.uid, "", "key")]
    await stores.memory.answers.settle(settings.tenant, [], refusals, "llm/1:m")
    found = await read_rejections(settings, 1)
    assert [(each["message"], each["key"], each["reason"]) for each in found] == [
        (said.uid, "", "key")
    ]
    assert rejection_line(found[0]).split()[2:] == ["key", "-", said.uid, "llm/1:m"]
    assert await read_rejections(settings.model_copy(update={"tenant": "another"}), 10) == []


async def test_status_says_when_the_days_model_calls_are_used_up(
    stores: Stores, settings: Settings
) -> None:
    said = message("walnuts and me", tenant=settings.tenant)
    await stores.memory.ledger.record([said], history=True)
    answers = stores.memory.answers
    assert await answers.begin(settings.tenant, {said.uid: "1"}, "llm/1:m", 1) == frozenset(
        [said.uid]
    )
    assert await answers.begin(settings.tenant, {said.uid: "2"}, "llm/1:m", 1) is None
    found = await read_status(settings)
    assert found["capture"] == {"mode": "reader", "calls_today": 1, "calls_a_day": 500}
    used_up = {"mode": "hybrid", "calls_today": 1, "calls_a_day": 1}
    text = status_text(found | {"capture": used_up})
    assert "facts by   hybrid, 1 of 1 model calls today: used up, rules and reader read on" in text


async def test_search_finds_what_the_contact_may_hear(stores: Stores, settings: Settings) -> None:
    await take(stores, CHAT)
    searched = await search_memory(settings, "me", "what is the cat called", 5)
    found = searched.found
    best = next(each for each in found if each["kind"] == "message")
    assert (best["who"], best["at"]) == ("Anna", "2025-01-01T09:01:00+00:00")
    assert best["score"] > 0
    assert {"lexical", "dense"} <= set(best["parts"])
    assert (await search_memory(settings, "bob", "what is the cat called", 5)).found == []
    other = await search_memory(settings, "jsonl:Anna", "what is the cat called", 5)
    assert other.found == []
    line = next(line for line in search_lines(searched) if "Anna" in line)
    assert "Anna: The new cat is called Pimenta [31m" in line


async def test_search_explains_its_order(stores: Stores, settings: Settings) -> None:
    await take(stores, CHAT)
    searched = await search_memory(settings, "me", "what is the cat called", 5, explains=True)
    assert searched.looked_at is not None
    assert searched.looked_at.lines >= searched.looked_at.by_words > 0
    assert searched.looked_at.with_tokens > 0
    best = next(each for each in searched.found if each["kind"] == "message")
    assert {"late_window", "dense"} <= set(best["parts"])
    lines = search_lines(searched)
    assert lines[0].startswith(f"Looked at {searched.looked_at.lines} lines: ")
    assert any("late_window +" in line for line in lines)
    assert ORDER in lines
    assert searched.as_json()["looked_at"]["lines"] == searched.looked_at.lines


def test_search_says_what_was_not_at_hand_and_that_nothing_fits() -> None:
    assert search_lines(Searched([])) == ["Nothing fits."]
    searched = Searched([], missing=("facts", "vectors", "embedder"))
    assert search_lines(searched) == ["not at hand: facts, search by meaning", "Nothing fits."]


async def test_search_explains_what_a_model_was_asked(stores: Stores, settings: Settings) -> None:
    await take(stores, CHAT)
    with OpenAIServer() as server:
        asking = settings.model_copy(
            update={
                "model": "fake",
                "recall_model": "both",
                "recall_model_s": 20.0,
                "openai_base_url": f"{server.url}/v1",
            }
        )
        server.script('{"queries": ["the cat\'s name"]}', '{"lines": [2]}')
        searched = await search_memory(asking, "me", "what is the cat called", 5, explains=True)
        lines = search_lines(searched)
        assert re.fullmatch(r"A model's other wordings \([\d,]+ ms\): “the cat's name”\.", lines[1])
        assert re.fullmatch(r"A model put \d+ lines in order \([\d,]+ ms\)\.", lines[2])
        assert [line for line in lines if line.endswith("; reranked 1")]
        told = searched.as_json()
        assert [stage["name"] for stage in told["stages"]] == ["rewriting", "reranking"]
        failed = await search_memory(asking, "me", "what is the cat called", 5, explains=True)
    assert search_lines(failed)[1] == (
        "not at hand: other wordings of the question, a model's order"
    )


async def test_search_shows_a_fact_that_fits(stores: Stores, settings: Settings) -> None:
    await take(stores, CHAT)
    searched = await search_memory(settings, "me", "am I allergic to peanuts?", 5)
    found = searched.found
    assert found[0]["kind"] == "fact"
    assert "peanuts" in found[0]["text"]
    assert "fact: " in search_lines(searched)[0]
