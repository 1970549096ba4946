"""What stands for a picture, a call or a deleted message is neither recalled nor shown."""

from __future__ import annotations

import pytest

from graph.bootstrap import agent_on
from graph.stores import Stores
from memory.recall.passages import remember
from memory.recall.recall import Scope, recall
from tests.fakes.exports import MadeExport, entry
from tests.integration.importing.counting import take
from tests.messages import message

pytestmark = pytest.mark.anyio

EMPTY = ("[Image]", "Llamada de voz perdida", "<Medien ausgeschlossen>", "Mensagem apagada")


async def test_imported_or_live_it_is_not_recalled_and_stands_beside_nothing(
    stores: Stores,
) -> None:
    tenant = stores.settings.tenant
    lines = ["Missed voice call", "The boat is in the shed.", "This message was deleted", *EMPTY]
    await take(stores, MadeExport([entry(text, "Max", n) for n, text in enumerate(lines, 1)]))
    agent = agent_on(stores)
    for n, text in enumerate(("<Media omitted>", "The boat is red.", "Missed video call")):
        said = message(text, tenant=tenant, channel="web", sender="me", minutes=n)
        _ = [event async for event in agent.send(said)]
    await stores.projector.caught_up()
    scope = Scope(tenant, "web:me", "contact:web:me", is_group=False)
    query = "boat, missed call, image, llamada perdida, Nachricht, mensagem apagada"
    found = await recall(stores.memory, scope, query, stores.clock(), 20)
    block = (await remember(stores.memory, scope, found.entries, 9_999)).block
    shown = {line.text for line in block.passages}
    assert shown == {"The boat is in the shed.", "The boat is red."}
    beside = [text for line in block.passages for text in (line.before, line.after) if text]
    assert not [text for text in beside if "agent" not in text]
