"""What answers used is counted from receipts, ranks, and goes with the message (T8)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from graph.bootstrap import Overrides, agent_on, open_stores
from graph.models.offline import OfflineResponder
from graph.settings import Settings
from graph.stores import Stores
from memory.domain.changes import Change
from memory.domain.chats import Message
from memory.ports.uses import UseCount
from memory.recall.recall import Scope, recall
from memory.trust.verify import verify
from tests.answering import answered
from tests.messages import START, message

pytestmark = pytest.mark.anyio

DAY = 24 * 60
Say = Callable[..., Message]


@pytest.fixture
def say(stores: Stores) -> Say:
    """Make messages of a contact of the tenant, `days` after the start."""

    def made(text: str, days: float = 0, chat: str = "ana") -> Message:
        return message(text, tenant=stores.settings.tenant, minutes=days * DAY, chat=chat)

    return made


async def known(stores: Stores, *said: Message) -> None:
    await stores.memory.ledger.record(said, history=True)
    await stores.projector.caught_up()


async def kept(stores: Stores, *said: Message) -> list[UseCount | None]:
    """Return what is kept of messages, which must be what receipts say."""
    await stores.projector.caught_up("uses")
    tenant = stores.settings.tenant
    (projection,) = (p for p in stores.projector.projections if p.name == "uses")
    async for report in verify(stores.memory, [projection], [tenant], 10):
        assert report.is_clean, report.listed
    found = await stores.memory.uses.kept(tenant, [each.uid for each in said])
    return [found.get(each.uid) for each in said]


async def test_a_used_line_rises_above_one_that_fits_as_well(stores: Stores, say: Say) -> None:
    older, newer = say("The boat is red."), say("The boat is red.", 1, "cid")
    await known(stores, older, newer)
    scope, now = Scope.of(older), START + timedelta(days=60)

    async def order() -> list[str]:
        found = await recall(stores.memory, scope, "What colour is the boat?", now, 2)
        assert not found.missing
        return [entry.item_id for entry in found.entries if entry.kind == "message"]

    assert await order() == [newer.uid, older.uid]
    # Asked by somebody else: a third line of this contact, once indexed, would change the ranks.
    asked = message("And the boat?", tenant=stores.settings.tenant, chat="dan", sender="dan")
    await answered(stores, asked, [older.uid])
    assert await kept(stores, older, newer) == [UseCount(1, START), None]
    await stores.projector.caught_up()
    assert await order() == [older.uid, newer.uid]


async def test_a_turn_counts_once_however_often_it_runs(stores: Stores, say: Say) -> None:
    said, asked = say("The boat is red."), say("And the boat?", 1)
    await known(stores, said)
    turn = await answered(stores, asked, [said.uid, said.uid])
    await answered(stores, asked, [said.uid], turn)
    once = [UseCount(1, START + timedelta(days=1))]
    assert await kept(stores, said) == once
    for _ in range(2):
        await stores.memory.backlog.owe(stores.settings.tenant, ("uses",), [said.uid])
        assert await kept(stores, said) == once
    await answered(stores, say("Once more, the boat?", 2), [said.uid])
    assert await kept(stores, said) == [UseCount(2, START + timedelta(days=2))]


async def test_what_the_offline_responder_tells_is_used(settings: Settings) -> None:
    async with open_stores(settings, Overrides(model=OfflineResponder())) as stores:
        agent, tenant = agent_on(stores), settings.tenant
        told = message("The plumber comes on Tuesday at nine.", tenant=tenant)
        asked = message("When does the plumber come?", tenant=tenant, minutes=1)
        for each in (told, asked):
            async for _ in agent.send(each):
                pass
        (use,) = await kept(stores, told)
        assert use is not None
        assert use.times == 1


async def test_uses_go_with_what_is_withheld_edited_or_erased(stores: Stores, say: Say) -> None:
    secret, edited, erased, said = (
        say(f"The boat's {each} is red.") for each in ("keel", "mast", "sail", "rudder")
    )
    every = [secret, edited, erased, said]
    await known(stores, *every)
    await answered(stores, say("And the boat?", 1), [each.uid for each in every])
    once = UseCount(1, START + timedelta(days=1))
    assert await kept(stores, *every) == [once] * 4
    tenant, later = stores.settings.tenant, datetime(2026, 8, 1, tzinfo=UTC)
    await stores.memory.ledger.withhold(tenant, [secret.uid])
    change = Change(
        edited.chat, edited.message_id, "edit", "e", "It rains.", (edited.sender_id,), False, later
    )
    assert await stores.memory.revisions.change(change, later) == "applied"
    async with stores.pool.connection() as connection:
        await connection.execute("delete from messages where uid = %s", [erased.uid])
    assert await kept(stores, *every) == [None, None, None, once]
    await answered(stores, say("And the boat now?", 2), [edited.uid])
    assert await kept(stores, edited) == [UseCount(1, START + timedelta(days=2))]


async def test_uses_go_with_the_chat_that_was_answered(stores: Stores, say: Say) -> None:
    said, asked = say("The boat is red."), say("And the boat?", 1, "cid")
    await known(stores, said)
    await answered(stores, asked, [said.uid])
    assert await kept(stores, said) == [UseCount(1, START + timedelta(days=1))]
    async with stores.pool.connection() as connection:
        thread = asked.chat.thread_id
        await connection.execute("delete from sessions where thread_id = %s", [thread])
    assert await kept(stores, said) == [None]


async def test_nobody_counts_for_another_tenant(stores: Stores, say: Say) -> None:
    said = say("The boat is red.")
    theirs = message("And the boat?", tenant=f"{stores.settings.tenant}-other")
    await known(stores, said)
    await answered(stores, theirs, [said.uid])
    assert await kept(stores, said) == [None]
    assert await stores.memory.uses.count(theirs.chat.tenant, [said.uid]) == 0
    assert await stores.memory.uses.kept(theirs.chat.tenant, [said.uid]) == {}
