"""What holds for a while is recalled with its end while it holds, and not afterwards (T8)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from graph.bootstrap import Overrides, agent_on, open_stores
from graph.settings import Settings
from memory.facts.renewal import renew_facts
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
