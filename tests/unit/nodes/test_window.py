"""The window that the gate keeps: the newest lines, once each, and no command."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.graph.message import add_messages

from memory.domain.chats import Actor, Message, StoredMessage
from memory.policy.rules import Policy
from nodes.window import COMMAND_REPLY, MAY_INSTRUCT, cleared, window_update
from tests.messages import START, message


def _stored(*said: Message) -> list[StoredMessage]:
    return [StoredMessage(each, seq, seq, START) for seq, each in enumerate(said, 1)]


def _merged(window: list[AnyMessage], update: list[AnyMessage]) -> list[AnyMessage]:
    return list(add_messages(window, update))  # type: ignore[arg-type]


@given(st.lists(st.integers(1, 5), max_size=12), st.integers(10, 50))
def test_the_window_holds_the_newest_messages_once_each(batches: list[int], size: int) -> None:
    window: list[AnyMessage] = []
    said: list[str] = []
    for count in batches:
        fresh = []
        for _ in range(count):
            said.append(str(len(said)))
            actor = Actor.CONTACT if len(said) % 2 else Actor.AGENT
            fresh.append(
                StoredMessage(message(message_id=said[-1], actor=actor), len(said), 1, START)
            )
        # What is in the window already may come again: a resumed gate does that.
        window = _merged(window, window_update(window, fresh, size))
        again = _merged(window, window_update(window, fresh, size))
        assert [m.id for m in again] == [m.id for m in window]
    assert [m.id for m in window] == said[-size:]


def test_commands_their_replies_and_blocked_people_are_no_lines() -> None:
    owner = replace(message("/why", message_id="c"), is_owner=True)
    reply = message("it was", message_id=f"{COMMAND_REPLY}1", actor=Actor.AGENT)
    phone = message("/pause", message_id="p", actor=Actor.OWNER)
    blocked = message("buy!", message_id="b", sender="spam")
    said = message("hello", message_id="h")
    policy = Policy(blocked=frozenset({"spam"}))
    lines = window_update([], _stored(owner, reply, phone, blocked, said), 10, policy)
    assert [line.id for line in lines] == ["h"]


def test_a_foreign_command_is_a_line_unless_it_is_refused() -> None:
    said = _stored(message("/pause", message_id="x"))
    assert [m.id for m in window_update([], said, 10, Policy())] == ["x"]
    assert window_update([], said, 10, Policy(from_others="refused")) == []


def test_a_command_that_the_callers_input_put_there_is_taken_out() -> None:
    window: list[AnyMessage] = [HumanMessage("hi", id="a"), HumanMessage("/why", id="c")]
    fresh = _stored(replace(message("/why", message_id="c"), is_owner=True))
    assert [m.id for m in _merged(window, window_update(window, fresh, 10))] == ["a"]


def test_a_cleared_window_is_empty() -> None:
    window: list[AnyMessage] = [HumanMessage("hi", id="a"), HumanMessage("ho", id="b")]
    assert _merged(window, cleared(window)) == []


def test_who_may_instruct_is_marked() -> None:
    mine = replace(message("hi", message_id="o"), is_owner=True)
    marked, plain = window_update([], _stored(mine, message("hi", message_id="x")), 10)
    assert marked.additional_kwargs == {MAY_INSTRUCT: True}
    assert plain.additional_kwargs == {}
