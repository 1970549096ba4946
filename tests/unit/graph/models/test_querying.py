"""What counts of a model's queries and of its order of lines."""

from __future__ import annotations

import json

import pytest

from graph.models.querying import MAX_QUERY_CHARS, order_in, queries_in


def test_queries_come_out_once_each_with_even_blanks() -> None:
    answer = json.dumps({"queries": [" Where is\n Ana? ", "Ana's home", "Where is Ana?"]})
    assert queries_in(answer) == ["Where is Ana?", "Ana's home"]
    assert queries_in('{"queries": []}') == []


@pytest.mark.parametrize(
    "queries",
    [
        ["a", "b", "c", "d"],
        ["a", " \n"],
        ["x" * (MAX_QUERY_CHARS + 1)],
        ["a", 1],
        ["a", None],
        ["nul \x00"],
        ["half \ud800"],
        "a",
    ],
)
def test_what_is_no_query_spoils_the_answer(queries: object) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (encoding's errors are ValueErrors, too)
        queries_in(json.dumps({"queries": queries}))


def test_an_order_may_name_some_of_the_lines() -> None:
    assert order_in('{"lines": [3, 1]}', 3) == [2, 0]
    assert order_in('{"lines": []}', 3) == []


@pytest.mark.parametrize("lines", [[0], [4], [-1], [1, 1], [1, True], [1.0], ["1"], [None], [[1]]])
def test_what_is_no_line_or_stands_twice_spoils_the_order(lines: object) -> None:
    with pytest.raises(ValueError, match="line"):
        order_in(json.dumps({"lines": lines}), 3)
