"""Joining people and moving chats: nothing lost, nothing twice, and again after a break."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from memory.domain.chats import ChatRef, Message, Pair
from memory.postgres.moves import PostgresMoves
from memory.transcript.joining import join_contact, move_chat
from server.work.followup import FollowUp
from tests.integration.server.conftest import Start
from tests.integration.server.running import Running
from tests.messages import message
from tests.projecting import known

pytestmark = pytest.mark.anyio

LID, PHONE = "770000000001@lid", "4915770001@c.us"


@pytest.fixture
async def app(start: Start) -> AsyncIterator[Running]:
    async with start(with_worker=False) as started:
        yield started


async def _vector(app: Running, text: str) -> tuple[float, ...]:
    (vector,) = await app.service.agent.stores.memory.embedder.embed([text])
    return vector


async def test_joining_waits_for_a_turn_and_can_be_run_again(app: Running) -> None:
    stores, tenant = app.service.agent.stores, app.service.settings.tenant
    drop = stores.saver.adelete_thread
    pair = Pair(tenant, "waha", "phone", LID, PHONE)
    hidden = message("one", tenant=tenant, chat=LID, sender=LID)
    known = message("two", tenant=tenant, chat=PHONE, sender=PHONE)
    last = message("three", tenant=tenant, chat=LID, sender=LID)
    await stores.memory.ledger.record([hidden, known, last])
    claimed = await stores.memory.ledger.claim("7f0e1a52-6a55-4f0e-9d5e-2b7a2a3f1c11", hidden)
    assert len(claimed.said) == 2
    assert not await join_contact(stores.memory, pair, drop)
    assert len(await stores.memory.ledger.since(hidden.chat, 0, 9)) == 2
    await stores.memory.turns.fail(tenant, "7f0e1a52-6a55-4f0e-9d5e-2b7a2a3f1c11", "broken")
    for _ in range(2):
        assert await join_contact(stores.memory, pair, drop)
        rows = await stores.memory.ledger.since(known.chat, 0, 9)
        assert [(r.message.text, r.position) for r in rows] == [
            ("one", 1),
            ("two", 2),
            ("three", 3),
        ]
        assert {r.message.contact_id for r in rows} == {f"waha:{PHONE}"}
        assert {r.uid for r in rows} == {hidden.uid, known.uid, last.uid}
    (failed,) = await stores.memory.turns.in_state(tenant, "failed")
    assert failed.chat == known.chat
    released = await stores.memory.turns.release(tenant, failed.turn_id)
    assert [r.message.chat for r in released] == [known.chat, known.chat]


@pytest.mark.parametrize("has_new", [False, True])
async def test_a_group_that_moved_keeps_its_past(app: Running, has_new: bool) -> None:
    stores, tenant = app.service.agent.stores, app.service.settings.tenant
    old, new = "-100", "-100200"
    common: dict[str, Any] = {"tenant": tenant, "channel": "telegram", "is_group": True}
    past = message("I live in Leeds.", chat=old, sender="5", message_id="1", **common)
    await known(stores, past)
    future = message("The same number again", chat=new, sender="5", message_id="1", **common)
    if has_new:
        await stores.memory.ledger.record([future])
    await stores.memory.moves.announce(past.chat, future.chat)
    await stores.memory.moves.announce(past.chat, future.chat)
    assert await stores.memory.moves.announced(tenant, 5) == [(past.chat, future.chat)]
    await FollowUp(stores).look()
    await stores.projector.caught_up()
    assert await stores.memory.moves.announced(tenant, 5) == []
    await stores.memory.ledger.record([future])
    rows = await stores.memory.ledger.since(future.chat, 0, 9)
    assert [(r.uid, r.position) for r in rows] == [(past.uid, 1), (future.uid, 2)]
    anchor = f"group:telegram:phone:{new}"
    assert {r.message.anchor for r in rows} == {anchor}
    (fact,) = await stores.memory.facts.active(tenant, "telegram:5")
    assert fact.anchor == anchor
    hits = await stores.memory.vectors.search(
        tenant, "message", [anchor], await _vector(app, "Leeds"), 5
    )
    assert [hit.item_id for hit in hits] == [past.uid]
    found = await stores.memory.lexical.search(tenant, [anchor], "Leeds", 5)
    assert [hit.item_id for hit in found.hits] == [past.uid]
    # A redelivery under the old id is the same message.
    (again,) = await stores.memory.ledger.record([past])
    assert not again.is_new
    # Its vectors are replaced, not doubled, when it is indexed again.
    before = await stores.memory.vectors.count(tenant, "message")
    await stores.memory.backlog.owe(tenant, ["vectors"], [past.uid])
    await stores.projector.caught_up()
    assert await stores.memory.vectors.count(tenant, "message") == before
    assert (await join_noop(app)) is True


async def test_joining_that_broke_half_way_is_finished_by_the_next(app: Running) -> None:
    stores, tenant = app.service.agent.stores, app.service.settings.tenant
    said = message("I live in Leeds.", tenant=tenant, chat=LID, sender=LID)
    await known(stores, said)

    class Broken(Exception):
        pass

    class BrokenMoves(PostgresMoves):
        async def rename_contact(self, *_: object) -> None:
            raise Broken

    drop = stores.saver.adelete_thread
    pair = Pair(tenant, "waha", "phone", LID, PHONE)
    broken = replace(stores.memory, moves=BrokenMoves(stores.pool))
    with pytest.raises(Broken):
        await join_contact(broken, pair, drop)
    assert await join_contact(stores.memory, pair, drop)
    await stores.projector.caught_up()
    (fact,) = await stores.memory.facts.active(tenant, f"waha:{PHONE}")
    assert fact.value == "Leeds"
    for kind, anchor in (("message", PHONE), ("knowledge", PHONE)):
        hits = await stores.memory.vectors.search(
            tenant,
            kind,  # type: ignore[arg-type]
            [f"contact:waha:{anchor}"],
            await _vector(app, "Leeds"),
            50,
        )
        assert {said.uid, fact.fact_id} & {hit.item_id for hit in hits}


async def test_joining_while_the_other_chat_is_written_to_loses_nothing(app: Running) -> None:
    stores, tenant = app.service.agent.stores, app.service.settings.tenant

    def said(number: int, chat: str) -> Message:
        return message(f"m{number}", tenant=tenant, chat=chat, sender=chat, message_id=f"M{number}")

    async def write(chat: str, start: int) -> None:
        for number in range(start, start + 40):
            await stores.memory.ledger.record([said(number, chat)])

    async def join() -> None:
        for _ in range(20):
            await stores.memory.moves.move(said(0, LID).chat, said(0, PHONE).chat)

    await asyncio.gather(write(LID, 0), write(PHONE, 100), join())
    await join()
    rows = await stores.memory.ledger.since(said(0, PHONE).chat, 0, 200)
    assert {r.message.message_id for r in rows} == {f"M{n}" for n in (*range(40), *range(100, 140))}
    assert [r.position for r in rows] == sorted({r.position for r in rows})
    assert await app.count("sessions") == 1


async def join_noop(app: Running) -> bool:
    """Moving what is gone already does nothing."""
    stores, tenant = app.service.agent.stores, app.service.settings.tenant
    drop = stores.saver.adelete_thread
    before = await app.count("messages")
    chats = [ChatRef(tenant, "telegram", "phone", each) for each in ("-7", "-8")]
    done = await move_chat(stores.memory, chats[0], chats[1], drop)
    return done and await app.count("messages") == before
