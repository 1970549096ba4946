"""An input without ids is the same message whenever it is replayed from where it came in."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage

from nodes.state import add_said


def _ids(window: Any, said: Any) -> list[str]:
    added: Any = add_said(window, said)
    return [message.id for message in added]


def test_the_same_words_after_the_same_line_are_the_same_message() -> None:
    window = [HumanMessage("hi", id="1"), AIMessage("Hello.", id="2")]
    for said in ({"role": "user", "content": "ok"}, HumanMessage("ok"), ("user", "ok")):
        assert _ids(window, said) == _ids(window, [HumanMessage("ok")])


def test_the_same_words_said_again_are_another_message() -> None:
    first = _ids([], [HumanMessage("hi")])
    assert len(set(_ids([], [HumanMessage("hi"), HumanMessage("hi")]))) == 2
    again = _ids([HumanMessage("hi", id=first[0])], [HumanMessage("hi")])
    assert again[0] == first[0]
    assert again[1] != first[0]
    assert _ids([], [AIMessage("hi")]) != first


def test_what_has_an_id_keeps_it_and_removals_remove() -> None:
    window = [HumanMessage("hi", id="1"), AIMessage("Hello.", id="2")]
    assert _ids(window, [RemoveMessage(id="1"), HumanMessage("x", id="3")]) == ["2", "3"]
    assert _ids(window, HumanMessage("hey", id="1")) == ["1", "2"]
