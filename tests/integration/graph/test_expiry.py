"""What holds for a while is recalled with its end while it holds, and not afterwards (T8)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from graph.bootstrap import Overrides, agent_on, open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.domain.chats import Message
from memory.facts.correcting import Hand, state, take_back
from memory.facts.predicates import predicate
from memory.facts.renewal import renew_facts
from memory.projection.importing import import_batches
from nodes.prompts import read_memory
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import message

pytestmark = pytest.mark.anyio

WEDNESDAY = datetime(2026, 3, 4, 9, tzinfo=UTC)


class Clock:
    """A clock that a test sets."""

    now = WEDNESDAY

    def __call__(self) -> datetime:
        return self.now


async def test_what_has_expired_is_recalled_no_more_and_its_history_stays(
    settings: Settings,
) -> None:
    model, clock = ScriptedChatModel(), Clock()
    async with open_stores(settings, Overrides(model=model, clock=clock)) as stores:
        agent, tenant = agent_on(stores), settings.tenant
        said = replace(
            message("I live in Leeds. I'm on antibiotics until Friday.", tenant=tenant),
            sent_at=WEDNESDAY,
        )
        asks = replace(said, message_id="m2", text="hello", sent_at=WEDNESDAY)
        for each in (said, asks):
            async for _ in agent.send(each):
                pass
        told = {fact.key: fact.value for fact in read_memory(str(model.prompts[-1][0].text)).facts}
        assert told == {"home": "Leeds", "medical": "antibiotics, until 6 March 2026"}
        clock.now = WEDNESDAY + timedelta(days=3)
        async for _ in agent.send(replace(asks, message_id="m3", sent_at=clock.now)):
            pass
        later = read_memory(str(model.prompts[-1][0].text)).facts
        assert [fact.key for fact in later] == ["home"]
        facts = stores.memory.facts
        history = await facts.history(tenant, said.contact_id)
        assert [fact.key for fact in history] == ["home", "medical"]
        assert not await renew_facts(stores.memory, tenant, said.contact_id)


LOS_ANGELES, BERLIN = ZoneInfo("America/Los_Angeles"), ZoneInfo("Europe/Berlin")
AWAY = "I'm away until tomorrow."
LIVES_IN = "My time zone is America/Los_Angeles."


def _told(settings: Settings) -> tuple[Message, Message]:
    """Return where somebody lives, and what they say there on a Thursday evening."""
    lives = replace(message(LIVES_IN, tenant=settings.tenant), sent_at=WEDNESDAY)
    at = datetime(2026, 3, 5, 18, tzinfo=LOS_ANGELES)
    return lives, replace(message(AWAY, tenant=settings.tenant), sent_at=at.astimezone(UTC))


async def _ends(stores: Stores) -> list[datetime | None]:
    await stores.projector.caught_up()
    history = await stores.memory.facts.history(stores.settings.tenant, "waha:ana")
    return [fact.expires_at for fact in history if fact.key == "availability"]


async def _differences(stores: Stores) -> int:
    facts = next(p for p in stores.projector.projections if p.name == "facts")
    return len((await facts.compare(stores.settings.tenant, 1, "waha:ana")).differences)


@pytest.mark.parametrize("order", ["before", "at once", "after"])
async def test_an_end_is_that_of_the_day_where_who_told_it_lives(
    settings: Settings, order: str
) -> None:
    model = ScriptedChatModel()
    async with open_stores(settings, Overrides(model=model, clock=lambda: WEDNESDAY)) as stores:
        lives, away = _told(settings)
        batches = {"before": [[lives], [away]], "at once": [[lives, away]]}
        for batch in batches.get(order, [[away], [lives]]):
            await import_batches(stores.memory, stores.projector, [batch])
        ends = await _ends(stores)
        assert ends == [datetime(2026, 3, 7, tzinfo=LOS_ANGELES)]
        assert await _differences(stores) == 0
        # Not even a store that is made anew has another one.
        await stores.memory.facts.forget(settings.tenant, away.contact_id)
        assert await renew_facts(stores.memory, settings.tenant, away.contact_id)
        assert await _ends(stores) == ends
        assert await _differences(stores) == 0


async def test_a_zone_that_the_owner_states_or_takes_back_moves_ends(settings: Settings) -> None:
    chosen = settings.model_copy(update={"timezone": "Europe/Berlin"})
    given = Overrides(model=ScriptedChatModel(), clock=lambda: WEDNESDAY)
    async with open_stores(chosen, given) as stores:
        _, away = _told(chosen)
        await import_batches(stores.memory, stores.projector, [[away]])
        # Where nobody knows it the day is that of the settings: it is Friday there.
        assert await _ends(stores) == [datetime(2026, 3, 8, tzinfo=BERLIN)]
        by = Hand(replace(away, message_id="c", text="/know"), away.contact_id, WEDNESDAY)
        await stores.memory.ledger.record([by.message], history=True)
        known = predicate("timezone")
        assert known is not None
        (zone,) = await state(stores.memory, by, known, "America/Los_Angeles")
        assert await _ends(stores) == [datetime(2026, 3, 7, tzinfo=LOS_ANGELES)]
        await take_back(stores.memory, replace(by, effect="forget"), [zone])
        assert await _ends(stores) == [datetime(2026, 3, 8, tzinfo=BERLIN)]
