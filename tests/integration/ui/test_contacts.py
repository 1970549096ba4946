"""`recollect contacts` on real stores: what is read, and made anew, is the same."""

from __future__ import annotations

import pytest

from graph.stores import Stores
from tests.messages import message
from ui.cli.contacts import read_contacts, rebuild_contacts

pytestmark = pytest.mark.anyio


async def test_half_a_year_made_anew_is_what_it_was(stores: Stores) -> None:
    tenant = stores.settings.tenant
    texts = ["Good morning!", "I am so angry about this!!!", "I am sad today...", "That is great!!"]
    days = [day for day in range(182) if day % 7 < 5 and not 90 <= day < 120]
    said = [
        message(texts[day % 4], tenant=tenant, minutes=day * 24 * 60, message_id=str(day))
        for day in days
    ]
    late = said[10:20]
    await stores.memory.ledger.record([*said[:10], *said[20:]], history=True)
    await stores.projector.caught_up()
    await stores.memory.ledger.record(late, history=True)
    await stores.projector.caught_up()
    before = await read_contacts(stores.settings, with_days=True)
    assert [(each["contact_id"], each["active_days"]) for each in before] == [
        ("waha:ana", len(days))
    ]
    kept = (await stores.memory.contact_states.of(tenant, ["waha:ana"]))["waha:ana"]
    assert await rebuild_contacts(stores.settings) == 1
    after = (await stores.memory.contact_states.of(tenant, ["waha:ana"]))["waha:ana"]
    assert after.course == kept.course
    assert await rebuild_contacts(stores.settings, "waha:ana") == 1
