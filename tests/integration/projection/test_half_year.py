"""Half a year of a contact: each change where docs/contacts.md tells it, and again if rebuilt."""

from __future__ import annotations

from datetime import date
from random import Random

import pytest

from graph.bootstrap import Overrides, open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.domain.contacts import ContactRow
from memory.projection.importing import import_batches
from scripts.contact_half_year import CONTACT, OUT, PHASES, ZONE, Day, evenings, half_year, turns_of
from scripts.contact_plot import drawn
from tests.fakes.chat_model import ScriptedChatModel
from ui.cli.contacts import rebuild_contacts

PICTURE = OUT.read_text(encoding="utf-8")

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]


async def _told(stores: Stores) -> tuple[ContactRow, list[Day]]:
    states, tenant = stores.memory.contact_states, stores.settings.tenant
    row = (await states.of(tenant, [CONTACT]))[CONTACT]
    kept = [each async for page in states.marks_of(tenant, CONTACT) for each in page]
    return row, evenings(kept)


async def test_half_a_year_is_told_as_the_docs_explain_it_and_so_it_is_when_rebuilt(
    settings: Settings, model: ScriptedChatModel
) -> None:
    settings = settings.model_copy(update={"timezone": ZONE})
    async with open_stores(settings, Overrides(model=model)) as stores:
        said = half_year(settings.tenant)
        Random(7).shuffle(said)
        batches = [said[start : start + 64] for start in range(0, len(said), 64)]
        await import_batches(stores.memory, stores.projector, batches)
        await stores.projector.caught_up("contact_states")
        row, days = await _told(stores)
        assert await rebuild_contacts(settings, CONTACT) == 1
        again, rebuilt = await _told(stores)
    assert turns_of(days) == [
        (date(2026, 1, 1), "new"),
        (date(2026, 1, 2), "building"),
        (date(2026, 1, 22), "established"),
        (date(2026, 4, 1), "deep"),
        (date(2026, 5, 5), "fading"),
        (date(2026, 5, 28), "dormant"),
        (date(2026, 6, 10), "deep"),
    ]
    of_day = {each.day: each.state for each in days}
    assert [of_day[date(2026, *day)].mood for day in ((3, 10), (3, 17), (4, 20), (6, 12))] == [
        "anxious",
        "excited",
        "frustrated",
        "sad",
    ]
    assert (of_day[date(2026, 2, 9)].streak, of_day[date(2026, 2, 11)].streak) == (40, 0)
    assert rebuilt == days
    assert again.course == row.course
    assert drawn(days, PHASES) == PICTURE
