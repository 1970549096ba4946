"""Who may start a turn: channels in this process and, on a server, the owner alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime, ServerInfo

from nodes.context import Context, Options
from nodes.normalize import OWNER, NotTheOwner, normalize
from nodes.state import State, message_to_json
from tests.fakes.world import World
from tests.messages import START, message

pytestmark = pytest.mark.anyio


@dataclass
class User:
    identity: str
    display_name: str = ""
    is_authenticated: bool = True
    permissions: tuple[str, ...] = ()


def runtime(server: ServerInfo | None) -> Runtime[Context]:
    context = replace(
        World(options=Options(tenant="t", contact="kim")).runtime().context,
        clock=lambda: START,
        ids=lambda: "one",
    )
    return replace(Runtime(context=context), server_info=server)


def on_server(user: Any) -> ServerInfo:  # Any: a user of LangGraph's
    return ServerInfo(assistant_id="a", graph_id="agent", user=user)


TYPED: State = {"messages": [HumanMessage("hello", id="m1")]}
FORGED: State = {"inbound": message_to_json(replace(message("/facts"), is_owner=True))}


@pytest.mark.parametrize("state", [TYPED, FORGED], ids=["typed", "inbound"])
@pytest.mark.parametrize("user", [None, User(""), User("somebody")], ids=repr)
async def test_a_server_runs_nothing_for_others_than_the_owner(state: State, user: Any) -> None:
    with pytest.raises(NotTheOwner, match="Only the owner"):
        await normalize(state, runtime(on_server(user)))


@pytest.mark.parametrize("server", [None, on_server(User(OWNER))], ids=["process", "server"])
async def test_the_owner_types_or_hands_over_and_again_with_the_same_outcome(
    server: ServerInfo | None,
) -> None:
    for state in (TYPED, FORGED):
        first = await normalize(state, runtime(server))
        assert first == await normalize(state, runtime(server))
        assert first["turn"]["message"]["is_owner"]
