"""What is owed is taken once, struck out at the version taken, and never lost."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from graph.stores import Stores
from memory.domain.changes import Change
from memory.domain.chats import Message
from memory.domain.projections import Owed
from tests.messages import START, message

pytestmark = pytest.mark.anyio


@pytest.fixture
def still(stores: Stores) -> Stores:
    """Return stores of a tenant that nobody projects for."""
    settings = stores.settings.model_copy(update={"tenant": f"still-{stores.settings.tenant}"})
    return replace(stores, settings=settings)


def _say(stores: Stores, text: str, **given: object) -> Message:
    return message(text, tenant=stores.settings.tenant, **given)  # type: ignore[arg-type]


async def _owed(stores: Stores, name: str = "vectors") -> set[str]:
    taken = await stores.memory.backlog.take(
        name,  # type: ignore[arg-type]
        1,
        [stores.settings.tenant],
        "looking",
        100,
        early=True,
    )
    await stores.memory.backlog.give_back(name, 1, taken)  # type: ignore[arg-type]
    return {each.item for each in taken}


async def test_the_ledger_owes_what_it_records_once_its_turn_has_ended(still: Stores) -> None:
    ledger, tenant = still.memory.ledger, still.settings.tenant
    past, said = _say(still, "I live in Leeds."), _say(still, "And I have a dog.", minutes=1)
    await ledger.record([past], history=True)
    assert await _owed(still) == await _owed(still, "facts") == {past.uid}
    await ledger.record([said])
    turn = still.ids()
    await ledger.claim(turn, said)
    assert await _owed(still) == {past.uid}
    await ledger.finish(tenant, turn)
    assert await _owed(still) == await _owed(still, "facts") == {past.uid, said.uid}


async def test_what_a_failed_turn_claimed_is_owed_and_what_is_withheld_is_not(
    still: Stores,
) -> None:
    ledger, tenant = still.memory.ledger, still.settings.tenant
    said, hidden = _say(still, "I live in Leeds."), replace(_say(still, "Psst."), withheld=True)
    await ledger.record([hidden], history=True)
    await ledger.record([said])
    turn = still.ids()
    await ledger.claim(turn, said)
    await still.memory.turns.fail(tenant, turn, "the model is gone")
    assert await _owed(still) == {said.uid}


async def test_an_edit_owes_anew_what_somebody_has_taken(still: Stores) -> None:
    backlog, tenant = still.memory.backlog, still.settings.tenant
    said = _say(still, "I live in Leeds.")
    await still.memory.ledger.record([said], history=True)
    (taken,) = await backlog.take("vectors", 1, [tenant], "one", 9, early=True)
    assert await backlog.take("vectors", 1, [tenant], "two", 9, early=True) == []
    at = START + timedelta(minutes=1)
    change = Change(said.chat, said.message_id, "edit", "a", "York.", (said.sender_id,), False, at)
    assert await still.memory.revisions.change(change, at) == "applied"
    await backlog.done("vectors", 1, [taken])
    (again,) = await backlog.take("vectors", 1, [tenant], "two", 9)
    assert again == Owed(tenant, said.uid, taken.version + 1)
    await backlog.done("vectors", 1, [again])
    assert await _owed(still) == set()
    # Whoever was slower may have written what it had read before.
    await backlog.done("vectors", 1, [taken])
    assert await _owed(still) == {said.uid}


async def test_what_somebody_is_still_writing_is_not_struck_out_by_a_turn(still: Stores) -> None:
    backlog, tenant = still.memory.backlog, still.settings.tenant
    said = _say(still, "I live in Leeds.")
    await still.memory.ledger.record([said], history=True)
    (taken,) = await backlog.take("vectors", 1, [tenant], "one", 9, early=True)
    await backlog.strike_out_said("vectors", tenant, [said.uid])
    # A taken row that is gone would be owed anew.
    await backlog.done("vectors", 1, [taken])
    assert await _owed(still) == set()


async def test_what_is_put_off_is_due_later_but_for_what_was_edited(still: Stores) -> None:
    backlog, tenant = still.memory.backlog, still.settings.tenant
    await backlog.owe(tenant, ["vectors", "tokens"], ["x", "y"])
    await backlog.owe(tenant, ["vectors"], ["y"])
    await backlog.owe(tenant, ["episodes"], ["chat:z"])
    await backlog.owe(tenant, ["episodes"], ["chat:z"])
    await backlog.postpone(tenant, ["x", "y", "chat:z"], 60.0)
    assert await backlog.due([tenant]) == [("vectors", 1)]
    assert [each.item for each in await backlog.take("vectors", 1, [tenant], "one", 9)] == ["y"]
    early = await backlog.take("episodes", 1, [tenant], "one", 9, early=True)
    assert [each.item for each in early] == ["chat:z"]


async def test_workers_at_once_take_each_item_once(still: Stores) -> None:
    backlog, tenant = still.memory.backlog, still.settings.tenant
    items = [f"item {number:03}" for number in range(300)]
    await backlog.owe(tenant, ["vectors"], items)

    async def work(owner: str) -> list[str]:
        mine: list[str] = []
        while taken := await backlog.take("vectors", 1, [tenant], owner, 7):
            mine += [each.item for each in taken]
            await backlog.done("vectors", 1, taken)
        return mine

    shares = await asyncio.gather(*(work(f"worker {number}") for number in range(4)))
    assert sorted(item for share in shares for item in share) == items


async def test_what_a_dead_worker_had_is_due_at_once(still: Stores) -> None:
    backlog, tenant = still.memory.backlog, still.settings.tenant
    await backlog.owe(tenant, ["vectors"], ["x"])
    async with still.memory.locks.hold("alive"):
        assert await backlog.take("vectors", 1, [tenant], "alive", 9)
        await backlog.take_over()
        assert await backlog.take("vectors", 1, [tenant], "other", 9) == []
    await backlog.take_over()
    assert len(await backlog.take("vectors", 1, [tenant], "other", 9)) == 1


async def test_an_item_set_aside_is_listed_until_it_is_owed_anew(still: Stores) -> None:
    backlog, tenant = still.memory.backlog, still.settings.tenant
    await backlog.owe(tenant, ["facts"], ["x", "y"])
    (x, _) = await backlog.take("facts", 1, [tenant], "one", 9)
    await backlog.set_aside("facts", 1, x, "it cannot be read")
    (aside,) = await backlog.aside([tenant], 5)
    assert (aside.item, aside.reason) == (x.item, "it cannot be read")
    arrears = (await backlog.arrears([tenant]))["facts"]
    assert (arrears.waiting, arrears.set_aside) == (1, 1)
    assert x.item not in await _owed(still, "facts")
    await backlog.owe(tenant, ["facts"], ["x"])
    assert x.item in await _owed(still, "facts")
    assert await backlog.aside([tenant], 5) == []


async def test_moving_a_contact_owes_both_anchors_and_both_contacts(still: Stores) -> None:
    tenant = still.settings.tenant
    said = _say(still, "I live in Leeds.", chat="hidden", sender="hidden")
    await still.memory.ledger.record([said], history=True)
    for name in ("vectors", "facts"):
        taken = await still.memory.backlog.take(name, 1, [tenant], "one", 9, early=True)
        await still.memory.backlog.done(name, 1, taken)
    await still.memory.moves.rename_contact(tenant, "waha", "hidden", "ana")
    assert await _owed(still) == {"anchor:contact:waha:hidden", "anchor:contact:waha:ana"}
    assert await _owed(still, "facts") == {"contact:waha:hidden", "contact:waha:ana"}


@pytest.mark.parametrize("jump", ["1 day", "-1 day"])
async def test_a_clock_that_was_set_back_or_forth_keeps_nothing_waiting(
    still: Stores, jump: str
) -> None:
    backlog, tenant = still.memory.backlog, still.settings.tenant
    await backlog.owe(tenant, ["vectors"], ["x"])
    async with still.pool.connection() as connection:
        await connection.execute(
            "update backlog set due_at = due_at + %s::interval where tenant = %s", [jump, tenant]
        )
    assert await backlog.due([tenant]) == [("vectors", 1)]
    assert len(await backlog.take("vectors", 1, [tenant], "one", 9)) == 1
