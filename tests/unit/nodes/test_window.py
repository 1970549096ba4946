"""The window that the gate keeps: the newest lines, once each, and no command."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.graph.message import add_messages

from memory.domain.chats import Actor, Message, StoredMessage
from nodes.window import (
    COMMAND_REPLY,
    MAY_INSTRUCT,
    Answered,
    as_it_is_now,
    cleared,
    last_answer,
    window_update,
)
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
        window = _merged(window, window_update(window, fresh, (), size))
        again = _merged(window, window_update(window, fresh, (), size))
        assert [m.id for m in again] == [m.id for m in window]
    assert [m.id for m in window] == said[-size:]


def test_what_is_hidden_is_taken_out_where_the_callers_input_put_it() -> None:
    window: list[AnyMessage] = [HumanMessage("hi", id="a"), HumanMessage("/why", id="c")]
    assert [m.id for m in _merged(window, window_update(window, [], ["c"], 10))] == ["a"]


def test_replies_to_commands_go_out_again() -> None:
    window: list[AnyMessage] = [HumanMessage("hi", id="a"), AIMessage("x", id=f"{COMMAND_REPLY}1")]
    assert [m.id for m in _merged(window, window_update(window, [], (), 10))] == ["a"]


def test_a_line_that_is_withheld_since_is_gone_and_one_that_was_edited_says_so() -> None:
    said = replace(message("new words", message_id="q"), withheld=False)
    reply = message("about the old words", message_id="r", actor=Actor.AGENT)
    window: list[AnyMessage] = [
        HumanMessage("old words", id="q"),
        AIMessage("about the old words", id="r"),
        HumanMessage("and now?", id="n"),
    ]
    stored = [
        replace(_stored(said)[0], changes=1),
        *_stored(replace(reply, withheld=True)),
        *_stored(message("and now?", message_id="n")),
    ]
    assert [m.text for m in as_it_is_now(window, stored)] == ["new words", "and now?"]


def test_a_cleared_window_is_empty() -> None:
    window: list[AnyMessage] = [HumanMessage("hi", id="a"), HumanMessage("ho", id="b")]
    assert _merged(window, cleared(window)) == []


def test_who_may_instruct_is_marked() -> None:
    mine = replace(message("hi", message_id="o"), is_owner=True)
    marked, plain = window_update([], _stored(mine, message("hi", message_id="x")), (), 10)
    assert marked.additional_kwargs == {MAY_INSTRUCT: True}
    assert plain.additional_kwargs == {}


def _told(*said: tuple[Message, str | None]) -> list[StoredMessage]:
    return [StoredMessage(each, n, n, START, turn) for n, (each, turn) in enumerate(said, 1)]


def test_the_last_answer_is_the_newest_line_but_for_commands() -> None:
    asked, other = message("one"), message("two")
    reply = message("ok", actor=Actor.AGENT)
    order = replace(message("/why"), is_command=True)
    why = message("because", actor=Actor.AGENT, message_id=f"{COMMAND_REPLY}1")
    note = message("a note", actor=Actor.OWNER)
    told = _told((other, "a"), (asked, "a"), (reply, "a"), (order, "b"), (why, "b"), (note, None))
    assert last_answer(told) == Answered(told[1], told[2])
    assert last_answer([*told, *_told((message("next"), None))]) is None
    assert last_answer(_told((asked, "a"), (reply, "c"))) is None
    assert last_answer(_told((asked, None), (reply, None))) is None
    assert last_answer(_told((message(" "), "a"), (reply, "a"))) is None
    gone = [replace(each, revoked_at=START) if each.message is reply else each for each in told]
    assert last_answer(gone) is None
