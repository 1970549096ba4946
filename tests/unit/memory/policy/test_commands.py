"""What counts as a command in a text."""

from __future__ import annotations

import pytest

from memory.domain.chats import Actor
from memory.policy.commands import Command, is_command, parse_command
from memory.policy.rules import BadPolicy, Policy
from nodes.commands.policy import Order, parse_order
from tests.messages import message


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/why", Command("why", "", "", "why")),
        (" /WHY ", Command("why", "", "", "why")),
        ("/pause@ourbot", Command("pause", "", "ourbot", "pause")),
        ("/policy@b set reply all", Command("policy", "set reply all", "b", "policy")),
        ("/forget\nmy cat", Command("forget", "my cat", "", "forget")),
        ("/start", Command("help", "", "", "start")),
        ("/shrug", Command("", "", "", "shrug")),
        ("/shrug whatever", None),
        ("/home/me is full", None),
        ("// not this", None),
        ("/", None),
        ("/why?", None),
        ("say /why", None),
        ("", None),
    ],
)
def test_parsed(text: str, command: Command | None) -> None:
    assert parse_command(text) == command
    is_known = command is not None and command.name != ""
    typed = message(text, actor=Actor.OWNER, is_group=True, mentions_agent=True)
    assert is_command(typed, Policy()) is is_known


@pytest.mark.parametrize(
    ("args", "order"),
    [
        ("", Order("show", (), "")),
        ("show", Order("show", (), "")),
        ("waha", Order("show", (), "waha")),
        ("set reply off", Order("set", ("reply", "off"), "")),
        ("waha/a/4915@c.us block x", Order("block", ("x",), "waha/a/4915@c.us")),
        ("ALLOW x", Order("allow", ("x",), "")),
    ],
)
def test_policy_orders(args: str, order: Order) -> None:
    assert parse_order(args) == order


@pytest.mark.parametrize("args", ["frobnicate", "waha/a set reply off"])
def test_what_is_neither_verb_nor_scope_is_said(args: str) -> None:
    with pytest.raises(BadPolicy):
        parse_order(args)
