"""What a world's ledger says from the side: what is still open, and which threads there were."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from evals.loops.ledger import LedgerView, OpenWork
from graph.stores import Stores
from memory.domain.chats import Pair
from memory.transcript.joining import join_contact, move_chat
from tests.messages import message

pytestmark = pytest.mark.anyio

HIDDEN, PHONE = "200100000000008@lid", "491555000108@c.us"


@pytest.fixture
async def ledger(stores: Stores) -> AsyncIterator[LedgerView]:
    async with LedgerView(stores.database_url, stores.settings.tenant) as view:
        yield view


def _open(what: str, count: int = 1, tries: int = 0) -> OpenWork:
    return OpenWork("phone", what, count, tries)


async def test_everything_that_is_still_to_be_done_is_open(
    stores: Stores, ledger: LedgerView
) -> None:
    assert await ledger.open_work() == []
    said = message(tenant=stores.settings.tenant)
    await stores.memory.ledger.record([said])
    assert await ledger.open_work() == [_open("messages without a turn")]
    await stores.memory.jobs.postpone(said.chat, 3_600, failures=3)
    await stores.memory.ledger.claim(stores.ids(), said)
    assert await ledger.open_work() == [_open("jobs", tries=3), _open("turns under way")]


async def test_a_chat_that_moves_is_open_until_it_has_moved(
    stores: Stores, ledger: LedgerView
) -> None:
    said = replace(message(tenant=stores.settings.tenant), is_command=True)
    await stores.memory.ledger.record([said], history=True)
    new = replace(said.chat, chat_id="ana-2")
    await stores.memory.moves.announce(said.chat, new)
    assert await ledger.open_work() == [_open("chats to be moved")]
    assert await move_chat(stores.memory, said.chat, new, stores.saver.adelete_thread)
    await stores.memory.moves.done(said.chat)
    assert await ledger.open_work() == []
    assert await ledger.threads() == {said.chat.thread_id: "phone", new.thread_id: "phone"}


async def test_the_thread_of_a_merged_chat_is_known_afterwards(
    stores: Stores, ledger: LedgerView
) -> None:
    tenant = stores.settings.tenant
    said = message(tenant=tenant, chat=HIDDEN, sender=HIDDEN)
    await stores.memory.ledger.record([said], history=True)
    pair = Pair(tenant, "waha", "phone", HIDDEN, PHONE)
    await stores.memory.identities.learn([pair], "twin")
    assert await ledger.open_work() == [_open("chats to be merged")]
    assert await join_contact(stores.memory, pair, stores.saver.adelete_thread)
    assert await ledger.open_work() == []
    merged = replace(said.chat, chat_id=PHONE)
    assert await ledger.threads() == {said.chat.thread_id: "phone", merged.thread_id: "phone"}
