"""Options of a run: given ones over the server's, and no value that cannot be used."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from nodes.context import BadOptions, GivenOptions, Options

SERVER = Options(contact="kim", tenant="acme", persona="A pirate.", reply_direct="off", window=12)


def test_what_is_left_out_is_as_the_server_is_set() -> None:
    assert GivenOptions().over(SERVER) == SERVER
    assert GivenOptions(contact=" ", persona="", tenant="").over(SERVER) == SERVER


def test_what_is_given_counts() -> None:
    given = GivenOptions(contact="bo", reply_direct="all", window=50, recall_limit=0).over(SERVER)
    assert given == Options("bo", "acme", "A pirate.", "all", "mention_only", 50, 0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("window", 9),
        ("window", 51),
        ("window", "20"),
        ("window", True),
        ("recall_limit", -1),
        ("reply_direct", "sometimes"),
        ("reply_group", ["all"]),
        ("contact", 7),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(BadOptions, match=f"context.{name} must be"):
        GivenOptions(**{name: value}).over(SERVER)


def test_every_option_can_be_given_and_is_described() -> None:
    assert [each.name for each in fields(GivenOptions)] == [each.name for each in fields(Options)]
    assert all(each.metadata["description"] for each in fields(GivenOptions))


@pytest.mark.parametrize("name", ["Contact", "foo", "user_id", "contact "])
def test_a_field_that_there_is_none_of_is_refused_and_named(name: str) -> None:
    with pytest.raises(BadOptions, match=f"context.{name} is no field of a run's context: contact"):
        GivenOptions.check_names(["contact", name])
    GivenOptions.check_names(["contact", "window_h"])
