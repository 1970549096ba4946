"""The database goes away at each statement of a turn in turn: the message is answered once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Final

import psycopg
import pytest
from psycopg_pool.base import AttemptWithBackoff

from graph.agent import Agent, Finished
from graph.bootstrap import Overrides, agent_on, open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.domain.chats import Actor, Message
from memory.errors import StoreUnavailable
from memory.postgres import locks
from tests.benchmarks.statements import BY_THE_CLOCK, counted
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import message

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

LEAST: Final = 20
"""A turn has at least so many statements, else the walk would show nothing."""
END: Final = """
select pg_terminate_backend(pid, 5000) from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid()
"""


@contextmanager
def lost_at(database_url: str, at: int) -> Iterator[list[str]]:
    """End every connection just before a statement; yield the statements up to there."""
    sent: list[str] = []

    def note(query: str) -> None:
        if query.startswith(BY_THE_CLOCK) or len(sent) >= at:
            return
        sent.append(query)
        if len(sent) == at:
            with psycopg.connect(database_url, autocommit=True) as other:
                other.execute(END)

    with counted(note):
        yield sent


@pytest.fixture
async def stores(
    settings: Settings, model: ScriptedChatModel, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Stores]:
    """Every store, with short waits for a database that is away; projections are others' work."""
    monkeypatch.setattr(locks, "WATCH_S", 0.02)
    monkeypatch.setattr(locks, "LOST_S", 0.1)
    monkeypatch.setattr(AttemptWithBackoff, "INITIAL_DELAY", 0.05)
    async with open_stores(settings, Overrides(model=model), projects=False) as opened:
        yield opened


async def test_at_whatever_statement_the_database_goes_the_message_is_answered_once(
    stores: Stores,
) -> None:
    agent, at = agent_on(stores), 1
    while True:
        said = message(f"Is it {at}?", tenant=stores.settings.tenant, channel="waha", chat=f"c{at}")
        await agent.take_in(said)
        with lost_at(stores.database_url, at) as sent:
            await _sent(agent, said)
        if len(sent) < at:
            break
        for _ in range(2):
            await _sent(agent, said)
        rows = await stores.memory.ledger.since(said.chat, 0, 10)
        assert [each.message.actor for each in rows] == [Actor.CONTACT, Actor.AGENT], sent[-1]
        (receipt,) = await agent.receipts(said.chat, limit=5)
        assert receipt.reply_uid == rows[1].uid
        at += 1
    assert at > LEAST
    queued = await stores.memory.outbox.listing(stores.settings.tenant, "queued", limit=100)
    assert len(queued) == len({each.chat for each in queued}) == at


async def _sent(agent: Agent, said: Message) -> None:
    """Run the turn as a worker does, again and again until it can be begun."""
    for _ in range(3):
        try:
            async for event in agent.send(said):
                if isinstance(event, Finished):
                    return
        except StoreUnavailable:
            continue
