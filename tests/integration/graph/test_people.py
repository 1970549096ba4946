"""Questions about the people whom somebody told of, answered by what was claimed of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from graph.agent import Finished
from graph.bootstrap import Overrides, agent_on, open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.domain.changes import Change
from memory.domain.chats import Message
from memory.recall.passages import Remembered, remember
from memory.recall.recall import Scope, recall
from memory.recall.receipts import read_memories
from tests.fakes.chat_model import ScriptedChatModel
from tests.fakes.reader import ScriptedReader
from tests.integration.conftest import on_neo4j
from tests.messages import START, message
from tests.projecting import known

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 6, 1, tzinfo=UTC)
QUESTION = "Where does my wife work?"
SCRIPT = {
    "My wife Priya works at Acme.": ["spouse=Priya", "Priya.employer=Acme"],
    "My wife is called Priya.": ["spouse=Priya"],
    "Priya started at Acme.": ["Priya.employer=Acme"],
    "My wife started at Hooli.": ["wife.employer=Hooli"],
}
AT_ONCE, NAMED, STARTED, MOVED = SCRIPT


@pytest.fixture(params=["postgres", "neo4j"])
async def stores(
    settings: Settings, model: ScriptedChatModel, request: pytest.FixtureRequest
) -> AsyncIterator[Stores]:
    """Every store, open, with a scripted reader and either fact store."""
    settings = on_neo4j(settings) if request.param == "neo4j" else settings
    given = Overrides(model=model, reader=ScriptedReader(SCRIPT))
    async with open_stores(settings, given) as opened:
        yield opened
        for contact in await opened.memory.facts.contacts(settings.tenant):
            await opened.memory.facts.forget(settings.tenant, contact)
            await opened.memory.entities.replace(settings.tenant, contact, [])


def _said(stores: Stores, text: str, minutes: float = 0, group: str = "") -> Message:
    return message(
        text,
        tenant=stores.settings.tenant,
        minutes=minutes,
        chat=group or "ana",
        sender="ana",
        is_group=bool(group),
    )


async def _asked(stores: Stores, scope: Scope, question: str = QUESTION) -> Remembered:
    found = await recall(stores.memory, scope, question, NOW, 5)
    return await remember(stores.memory, scope, found.entries, 3000)


def _lines(remembered: Remembered) -> list[tuple[str, str]]:
    """Return the lines of the block that tell of somebody else."""
    return [(each.key, each.value) for each in remembered.block.facts if ": " in each.key]


TOLD = ("Priya (wife): employer", "Acme, as you told me on 1 March 2026")


@pytest.mark.parametrize("texts", [[AT_ONCE], [NAMED, STARTED], [STARTED, NAMED]])
@pytest.mark.parametrize("question", [QUESTION, "where does priya work"])
async def test_where_my_wife_works_is_known_from_one_message_or_two(
    stores: Stores, texts: list[str], question: str
) -> None:
    said = [_said(stores, text, n) for n, text in enumerate(texts)]
    await known(stores, *said)
    remembered = await _asked(stores, Scope.of(said[0]), question)
    assert _lines(remembered) == [TOLD]
    # The sentence that tells it stands in the block once, with the first line that it tells.
    (sentence,) = (text for text in texts if "Acme" in text)
    assert [each.said for each in remembered.block.facts].count(sentence) == 1
    assert _lines(await _asked(stores, Scope.of(said[0]), "What is the weather like?")) == []


async def test_what_was_said_in_private_is_not_claimed_in_a_group(stores: Stores) -> None:
    direct, group = _said(stores, NAMED), _said(stores, MOVED, 2, group="club")
    await known(stores, direct, _said(stores, STARTED, 1), group)
    in_group, alone = Scope.of(group), Scope.of(direct)
    # Not even the name, which was said elsewhere.
    hooli = "Hooli, as you told me on 1 March 2026"
    assert _lines(await _asked(stores, in_group)) == [("wife: employer", hooli)]
    assert _lines(await _asked(stores, in_group, "Where does Priya work?")) == []
    assert _lines(await _asked(stores, alone)) == [("Priya (wife): employer", hooli)]


async def test_nobody_else_hears_what_was_claimed(stores: Stores) -> None:
    said = _said(stores, AT_ONCE)
    await known(stores, said)
    others = replace(Scope.of(said), contact_id="waha:bo", anchor="contact:waha:bo")
    assert _lines(await _asked(stores, others, "Where does Priya work?")) == []
    elsewhere = replace(Scope.of(said), tenant="somebody-else")
    assert _lines(await _asked(stores, elsewhere)) == []


async def test_a_claim_that_was_recalled_and_is_gone_is_not_shown(stores: Stores) -> None:
    said = _said(stores, AT_ONCE)
    await known(stores, said)
    scope = Scope.of(said)
    found = await recall(stores.memory, scope, QUESTION, NOW, 5)
    change = Change(
        chat=said.chat,
        message_id=said.message_id,
        kind="revoke",
        action_id="gone",
        text="",
        author_ids=("ana",),
        from_me=False,
        changed_at=START + timedelta(hours=1),
    )
    assert await stores.memory.revisions.change(change, NOW) == "applied"
    # At once, before anything has followed.
    assert _lines(await remember(stores.memory, scope, found.entries, 3000)) == []
    await stores.projector.caught_up()
    assert _lines(await _asked(stores, scope)) == []


async def test_the_receipt_of_a_reply_shows_the_claim_like_a_fact(
    stores: Stores, model: ScriptedChatModel
) -> None:
    agent, asked = agent_on(stores), _said(stores, QUESTION, 5)
    await known(stores, _said(stores, AT_ONCE))
    done = [event async for event in agent.send(asked)][-1]
    assert isinstance(done, Finished)
    assert "Acme, as you told me on" in str(model.prompts[-1])
    (receipt,) = await agent.receipts(asked.chat)
    readings = await read_memories(
        stores.memory, stores.settings.tenant, asked.contact_id, receipt.recalled
    )
    (shown,) = (each for each in readings if each.label == TOLD[0])
    assert (shown.kind, shown.text, shown.parts["words"]) == ("fact", "Acme", 1.0)


async def test_what_was_said_by_name_is_found_by_the_relation(stores: Stores) -> None:
    said = _said(stores, NAMED)
    small_talk = [_said(stores, f"It rains in the garden, day {n}.", 10 + n) for n in range(40)]
    hospital = _said(stores, "Priya was stung by a wasp, twice.", 2)
    await known(stores, said, hospital, *small_talk)
    scope = Scope.of(said)
    found = await recall(stores.memory, scope, "What happened to my wife in the garden?", NOW, 2)
    assert hospital.uid in [each.item_id for each in found.entries if each.kind == "message"]
