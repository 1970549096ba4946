"""Decisions by policy, and the window that the gate keeps."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages

from memory.domain import Actor, StoredMessage
from nodes.context import Options
from nodes.policy_gate import decide, window_update
from tests.messages import START, message


def test_direct_messages_are_answered_by_default() -> None:
    assert decide([message("hi")], Options()) == "respond"


def test_a_group_is_answered_only_when_the_agent_is_meant() -> None:
    chatter = message("hi all", is_group=True)
    called = message("hi agent", is_group=True, mentions_agent=True)
    assert decide([chatter], Options()) == "observe"
    assert decide([chatter, called], Options()) == "respond"
    assert decide([called], Options(reply_group="off")) == "observe"


def test_an_empty_text_is_stored_and_not_answered() -> None:
    assert decide([message("  ")], Options()) == "observe"


def test_commands_belong_to_the_web_channel() -> None:
    assert decide([message("/why", channel="web")], Options()) == "command"
    assert decide([message("/why", channel="waha")], Options()) == "respond"


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
        merged = add_messages(window, window_update(window, fresh, size))  # type: ignore[arg-type]
        window = list(merged)  # type: ignore[arg-type]
        again = add_messages(window, window_update(window, fresh, size))  # type: ignore[arg-type]
        assert [m.id for m in again] == [m.id for m in window]  # type: ignore[union-attr]
    assert [m.id for m in window] == said[-size:]
