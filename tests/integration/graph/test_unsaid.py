"""What a message shows no more: out of prompts and searches, whole in the transcript."""

from __future__ import annotations

import pytest

from graph.bootstrap import agent_on
from graph.stores import Stores
from tests.messages import message

pytestmark = pytest.mark.anyio

TOLD = "I live in Leeds. The plumber comes on Tuesday."
LEFT = "The plumber comes on Tuesday."


async def test_a_message_shows_what_is_left_and_the_transcript_all(stores: Stores) -> None:
    memory, tenant = stores.memory, stores.settings.tenant
    said = message(TOLD, tenant=tenant)
    _ = [event async for event in agent_on(stores).send(said)]
    for _ in range(2):
        await memory.corrections.unsay(tenant, {said.uid: LEFT}, (), "act")
    await stores.projector.caught_up()
    (stored,) = await memory.ledger.messages(tenant, [said.uid])
    assert (stored.message.text, stored.changes) == (LEFT, 1)
    assert stored.in_full.text == TOLD
    assert not (await memory.lexical.search(tenant, [said.anchor], "Leeds", 5)).hits
    assert (await memory.lexical.search(tenant, [said.anchor], "plumber", 5)).hits
    (home,) = await memory.facts.active(tenant, "waha:ana")
    assert home.value == "Leeds"
    (reply,) = [e for e in await memory.ledger.since(said.chat, 0, 9) if e.message.from_me]
    assert reply.withheld
    (receipt,) = await memory.turns.receipts(said.chat, 9)
    assert receipt.query == ""


async def test_another_tenant_takes_nothing_out(stores: Stores) -> None:
    said = message(TOLD, tenant=stores.settings.tenant)
    await stores.memory.ledger.record([said], history=True)
    await stores.memory.corrections.unsay("another", {said.uid: None}, [said.uid], "act")
    (stored,) = await stores.memory.ledger.messages(said.chat.tenant, [said.uid])
    assert (stored.message.text, stored.withheld) == (TOLD, False)
