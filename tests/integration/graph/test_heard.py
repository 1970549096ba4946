"""What others told of themselves is told again where it was heard, and nowhere else."""

from __future__ import annotations

from datetime import timedelta

import pytest

from graph.agent import Finished
from graph.bootstrap import agent_on
from graph.stores import Stores
from memory.domain.changes import Change
from memory.domain.chats import Message
from memory.facts.corrector import Corrector
from memory.facts.marker import Marker
from memory.recall.block import FactLine
from memory.recall.passages import remember
from memory.recall.recall import Scope, recall
from memory.recall.receipts import read_memories
from tests.fakes.chat_model import ScriptedChatModel
from tests.fakes.exports import MadeExport, entry
from tests.integration.importing.counting import take
from tests.messages import START, message
from tests.projecting import known

pytestmark = pytest.mark.anyio

PEANUTS = FactLine(
    "hanna: allergy", "peanuts", "I'm allergic to peanuts.", told_by="hanna", when="2026-03-01"
)


@pytest.fixture
def stores(either_stores: Stores) -> Stores:
    return either_stores


def _said(stores: Stores, text: str, sender: str, minutes: float = 0, group: str = "") -> Message:
    return message(
        text,
        tenant=stores.settings.tenant,
        minutes=minutes,
        chat=group or sender,
        sender=sender,
        is_group=bool(group),
        mentions_agent=bool(group),
    )


async def _told(stores: Stores, scope: Scope, question: str) -> list[FactLine]:
    """Return the lines of the block that others told of themselves."""
    found = await recall(stores.memory, scope, question, stores.clock(), 5)
    block = (await remember(stores.memory, scope, found.entries, 3000)).block
    return [line for line in block.facts if line.told_by]


@pytest.fixture
async def club(stores: Stores) -> Scope:
    """Hanna has told something in the club, and more in private; Ana asks in the club."""
    there = _said(stores, "hello everybody", "ana", 4, group="club")
    await known(
        stores,
        _said(stores, "I'm allergic to peanuts.", "hanna", 0, group="club"),
        _said(stores, "My email is hanna@example.org.", "hanna", 1),
        _said(stores, "I'm allergic to cats.", "bo", 2, group="club"),
        there,
    )
    return Scope.of(there)


async def test_a_group_hears_again_what_was_said_in_it_and_nothing_else(
    stores: Stores, club: Scope
) -> None:
    assert await _told(stores, club, "What is Hanna allergic to?") == [PEANUTS]
    assert await _told(stores, club, "What do you know about Hanna?") == [PEANUTS]
    assert await _told(stores, club, "What is Hanna's email address?") == []
    assert await _told(stores, club, "What am I allergic to?") == []
    assert await _told(stores, club, "How was your day?") == []


async def test_alone_nobody_hears_what_was_said_in_a_group(stores: Stores, club: Scope) -> None:
    asked = _said(stores, "What do you know about Hanna?", "ana", 5)
    assert club.contact_id == asked.contact_id
    assert await _told(stores, Scope.of(asked), asked.text) == []
    elsewhere = _said(stores, asked.text, "ana", 5, group="other")
    assert await _told(stores, Scope.of(elsewhere), asked.text) == []


async def _imported(stores: Stores) -> None:
    lines = [("Max", "how are you?"), ("Hanna Vogel", "I'm allergic to peanuts."), ("Max", "ok")]
    await take(stores, MadeExport([entry(text, name, n) for n, (name, text) in enumerate(lines)]))


async def test_who_was_in_an_imported_chat_hears_what_was_said_there(stores: Stores) -> None:
    await _imported(stores)
    tenant = stores.settings.tenant
    here = Scope(tenant, "web:me", "contact:web:me", is_group=False)
    (told,) = await _told(stores, here, "Worauf ist Hanna allergisch?")
    assert (told.key, told.value) == ("Hanna Vogel: allergy", "peanuts")
    stranger = Scope(tenant, "web:you", "contact:web:you", is_group=False)
    assert await _told(stores, stranger, "What is Hanna allergic to?") == []


async def test_what_was_deleted_meanwhile_or_is_withheld_is_not_told(
    stores: Stores, club: Scope
) -> None:
    question, tenant = "What is Hanna allergic to?", stores.settings.tenant
    marker = Marker(Corrector(stores.memory, stores.clock, stores.ids, tenant))
    await marker.withhold("waha:bo", "allergy")
    assert await _told(stores, club, "What is Bo allergic to?") == []
    found = await recall(stores.memory, club, question, stores.clock(), 5)
    fact = next(
        each
        for each in await stores.memory.facts.active(tenant, "waha:hanna")
        if each.key == "allergy"
    )
    (said,) = await stores.memory.ledger.messages(tenant, [fact.source_uid])
    change = Change(
        chat=said.message.chat,
        message_id=said.message.message_id,
        kind="revoke",
        action_id="gone",
        text="",
        author_ids=("hanna",),
        from_me=False,
        changed_at=START + timedelta(hours=1),
    )
    assert await stores.memory.revisions.change(change, stores.clock()) == "applied"
    block = (await remember(stores.memory, club, found.entries, 3000)).block
    assert not any(line.told_by for line in block.facts)


async def test_what_the_owner_put_right_by_hand_was_heard_by_nobody(
    stores: Stores, club: Scope
) -> None:
    corrector = Corrector(stores.memory, stores.clock, stores.ids, stores.settings.tenant)
    await corrector.set("waha:hanna", "allergy", "walnuts")
    await stores.projector.caught_up()
    told = await _told(stores, club, "What is Hanna allergic to?")
    assert "walnuts" not in [line.value for line in told]


async def test_the_receipt_says_whose_it_is(stores: Stores, model: ScriptedChatModel) -> None:
    await _imported(stores)
    agent, tenant = agent_on(stores), stores.settings.tenant
    asked = agent.local_message("What is Hanna allergic to?", "me")
    done = [event async for event in agent.send(asked)][-1]
    assert isinstance(done, Finished)
    assert '"told_by": "Hanna Vogel"' in str(model.prompts[-1])
    (receipt,) = await agent.receipts(asked.chat)
    told = await read_memories(stores.memory, tenant, asked.contact_id, receipt.recalled)
    assert [e.text for e in told if e.label == "Hanna Vogel: allergy"] == ["peanuts"]


async def test_what_another_recalled_is_told_to_nobody_else(stores: Stores, club: Scope) -> None:
    found = await recall(stores.memory, club, "What is Hanna allergic to?", stores.clock(), 5)
    facts = [entry for entry in found.entries if entry.kind == "fact"]
    assert facts
    stranger = _said(stores, "What is Hanna allergic to?", "eve", 7)
    for scope in (Scope.of(stranger), Scope.of(_said(stores, "Hm?", "ana", 8))):
        block = (await remember(stores.memory, scope, facts, 3000)).block
        assert block.facts == ()
