"""A gate that was cut off runs again: the same claims, the same effects, the same words."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from langgraph.runtime import Runtime

from graph.stores import Stores
from memory.domain.chats import Message
from nodes.context import Context, GivenOptions
from nodes.policy_gate import policy_gate
from nodes.state import State, message_to_json
from tests.messages import message
from tests.projecting import known

pytestmark = pytest.mark.anyio

GROUP = {"is_group": True, "chat": "g"}


def _said(stores: Stores, text: str, **rest: object) -> Message:
    return message(text, tenant=stores.settings.tenant, **rest)  # type: ignore[arg-type]


async def _gate(stores: Stores, said: Message, turn_id: str) -> State:
    context: Context = await stores.wire(GivenOptions())
    state: State = {"turn": {"turn_id": turn_id, "message": message_to_json(said)}}
    return await policy_gate(state, Runtime(context=context))


async def _twice(stores: Stores, said: Message) -> tuple[State, State]:
    turn_id = stores.ids()
    return await _gate(stores, said, turn_id), await _gate(stores, said, turn_id)


async def test_the_other_senders_messages_are_claimed_again(stores: Stores) -> None:
    other = _said(stores, "I live in Leeds", sender="bo", **GROUP)
    earlier = stores.clock() - timedelta(minutes=5)
    await stores.memory.ledger.record([other], arrived_at=earlier)
    first, again = await _twice(stores, _said(stores, "hello all", **GROUP))
    assert other.uid in first["turn"]["claimed"]
    assert again["turn"] == first["turn"]
    assert again["window_seq"] == first["window_seq"]


@pytest.mark.parametrize(
    "text",
    [
        "/forget leeds",
        "/pause",
        "/resume",
        "/policy set reply off",
        "/policy waha block spam",
        "/reset",
    ],
)
async def test_a_command_tells_the_second_time_what_it_did_the_first(
    stores: Stores, text: str
) -> None:
    tenant = stores.settings.tenant
    told = _said(stores, "I live in Leeds.")
    await known(stores, told)
    if text == "/resume":
        await stores.memory.pauses.begin(
            tenant, "waha/phone/ana", "s", "command", told.sent_at, None
        )
    order = replace(_said(stores, text), is_owner=True)
    first, again = await _twice(stores, order)
    assert first["turn"]["decision"] == "command"
    assert again["turn"]["command_reply"] == first["turn"]["command_reply"] != ""
    assert "no fact" not in first["turn"]["command_reply"]
    newest = await stores.memory.policies.newest(tenant)
    assert {layer.version for layer in newest} <= {1}


async def test_what_another_turn_holds_is_nobody_elses(stores: Stores) -> None:
    said = _said(stores, "hello")
    first = await _gate(stores, said, stores.ids())
    second = await _gate(stores, said, stores.ids())
    assert (first["turn"]["decision"], second["turn"]["decision"]) == ("respond", "record")
