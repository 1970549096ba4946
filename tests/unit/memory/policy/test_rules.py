"""Layers of rules: which one wins, who is in a list, and what a file may say."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.domain.chats import ChatRef
from memory.policy.file import (
    BadPolicyFile,
    Format,
    edited,
    policy_schema,
    read_policy_file,
    render_policy_file,
)
from memory.policy.rules import (
    BadPolicy,
    Layer,
    LayerVersion,
    Pause,
    Policy,
    is_listed,
    is_paused,
    merge,
    parse_scope,
    scopes_of,
)
from tests.messages import START, message

SCHEMA = Path(__file__).resolve().parents[4] / "docs/policy.schema.json"
IDS = frozenset({"a"})


@pytest.mark.parametrize(
    ("layers", "expected"),
    [
        ([], Policy()),
        ([Layer(reply="off")], Policy(reply_direct="off", reply_group="off")),
        (
            [Layer(reply="off", reply_group="all")],
            Policy(reply_direct="off", reply_group="all"),
        ),
        (
            [Layer(reply_group="all"), Layer(reply="off")],
            Policy(reply_direct="off", reply_group="off"),
        ),
        ([Layer(blocked=IDS), Layer(blocked=frozenset("b"))], Policy(blocked=frozenset("ab"))),
        ([Layer(allowed=IDS), Layer()], Policy(allowed=IDS)),
        ([Layer(allowed=IDS), Layer(allowed="everyone")], Policy()),
        ([Layer(tools=IDS), Layer(tools=frozenset("b"))], Policy(tools=frozenset("b"))),
        ([Layer(tools=IDS), Layer(tools="all")], Policy()),
        ([Layer(persona_file="x.md"), Layer(persona_file="default")], Policy()),
        ([Layer(takeover_s=0)], Policy(takeover_s=0)),
        ([Layer(debounce_ms=9_000)], Policy(debounce_ms=9_000, debounce_max_ms=9_000)),
        ([Layer(from_others="refused"), Layer()], Policy(from_others="refused")),
        ([Layer(learns_from="owner"), Layer()], Policy(learns_from="owner")),
        ([Layer(learns_from="owner"), Layer(learns_from="everyone")], Policy()),
    ],
)
def test_the_lower_layer_wins(layers: list[Layer], expected: Policy) -> None:
    assert merge(Policy(), layers) == expected


def test_no_layer_unblocks_whom_the_settings_block() -> None:
    policy = merge(Policy(blocked=IDS), [Layer(blocked=frozenset()), Layer(allowed="everyone")])
    assert policy.blocked == IDS


@pytest.mark.parametrize(
    ("listed", "is_in"),
    [
        ("4915@c.us", True),
        ("4915@s.whatsapp.net", True),
        ("+4915", True),
        ("4915", True),
        (" waha:4915@c.us ", True),
        ("491", False),
        ("telegram:4915", False),
        ("", False),
    ],
)
def test_a_sender_is_listed_in_any_spelling(listed: str, is_in: bool) -> None:
    assert is_listed(message(sender="4915@c.us"), [listed]) is is_in


def test_who_has_several_ids_is_listed_by_any_of_them() -> None:
    said, same = message(sender="7@lid"), [frozenset({"7@lid", "4915@c.us"})]
    assert is_listed(said, ["+4915"], same)
    assert not is_listed(said, ["+4915"])
    assert not is_listed(message(sender="8@lid"), ["+4915"], same)


def test_nobody_in_particular_is_in_no_list() -> None:
    said = replace(message(), sender_id="", contact_id="")
    assert not is_listed(said, ["", "waha:"])


@pytest.mark.parametrize(
    "good", ["waha", "telegram", "web/local/me", "waha/a/4915@c.us", "web/a/b/c"]
)
def test_a_scope_is_a_channel_or_a_chat(good: str) -> None:
    assert parse_scope(f" {good} ") == good


@pytest.mark.parametrize("bad", ["", "wahaa", "waha/a", "waha//x", "waha/a/", "/a/b"])
def test_what_is_no_scope_is_said_in_one_line(bad: str) -> None:
    with pytest.raises(BadPolicy) as caught:
        parse_scope(bad)
    assert "\n" not in str(caught.value)


def test_topics_of_a_chat_share_its_rules() -> None:
    one, other = ChatRef("t", "telegram", "7", "-100", "1"), ChatRef("t", "telegram", "7", "-100")
    assert scopes_of(one) == scopes_of(other) == ("telegram", "telegram/7/-100")


def test_a_pause_begins_at_once_and_ends_before_its_end() -> None:
    pause = Pause("takeover", START, START + timedelta(seconds=5))
    at = [is_paused([pause], START + timedelta(seconds=s)) for s in (-1, 0, 4.9, 5)]
    assert at == [False, True, True, False]
    assert is_paused([Pause("command", START, None)], START + timedelta(days=900))


_names = st.frozensets(st.text("ab1@.:-", min_size=1, max_size=8), max_size=3)
_layers = st.builds(
    Layer,
    reply=st.sampled_from([None, "all", "mention_only", "off"]),
    reply_group=st.sampled_from([None, "off"]),
    blocked=st.none() | _names,
    allowed=st.none() | st.just("everyone") | _names,
    tools=st.none() | st.just("all") | _names,
    persona_file=st.sampled_from([None, "default", "nell.md"]),
    debounce_ms=st.none() | st.integers(0, 60_000),
    takeover_s=st.none() | st.integers(0, 10**6),
    from_others=st.sampled_from([None, "plain", "refused"]),
    learns_from=st.sampled_from([None, "everyone", "owner"]),
)
_scopes = st.sampled_from(["waha", "web", "waha/shop/4915@c.us", "telegram/7/-100 1", "web/l/off"])


@given(st.dictionaries(_scopes, _layers), st.sampled_from(["yaml", "json"]))
def test_what_is_written_reads_back_alike(layers: dict[str, Layer], style: Format) -> None:
    versions = [LayerVersion(scope, 1, layer, "me", START) for scope, layer in layers.items()]
    found = read_policy_file(render_policy_file(versions, style), style).layers
    assert found == {scope: layer for scope, layer in layers.items() if not layer.is_empty}


def test_yaml_off_is_off() -> None:
    text = "version: 1\nchannels:\n  waha: {reply: off, blocked: [4915]}\n  web:\nchats:\n"
    layers = read_policy_file(text).layers
    assert layers == {"waha": Layer(reply="off", blocked=frozenset({"4915"})), "web": Layer()}


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ["the file must be a table that begins with version: 1"]),
        ("channels: {}", ["version: is missing: add it"]),
        ("version: 2", ["version: must be 1"]),
        (
            "version: 1\na: 2",
            ["a: is not known: remove it, or write one of version, channels, chats"],
        ),
        ("version: 1\nchannels: 3", ["channels: must be a table of keys and values"]),
        (
            "version: 1\nchannels: {wahaa: {}, waha/a/b: {}}\nchats: {waha/x: {}, waha: {}}",
            [
                "channels.wahaa: wahaa is no channel that is answered: write one of waha,"
                " telegram, web",
                "channels.waha/a/b: is no channel: a chat's rules belong under chats",
                "chats.waha/x: write a chat as CHANNEL/ACCOUNT/CHAT_ID, or a channel alone",
                "chats.waha: is no chat: write CHANNEL/ACCOUNT/CHAT_ID, or move it under channels",
            ],
        ),
        (
            "version: 1\nchannels: {waha: {reply: never, debounce_ms: 1.5, takeover_s: -1}}",
            [
                "channels.waha.reply: must be 'all', 'mention_only' or 'off'",
                "channels.waha.debounce_ms: must be a whole number",
                "channels.waha.takeover_s: must be 0 or more",
            ],
        ),
        (
            "version: 1\nchannels: {waha: {blocked: x, allowed: none, tools: [true]}}",
            [
                "channels.waha.blocked: must be a list",
                "channels.waha.allowed: must be a list, or everyone",
                "channels.waha.tools: must be a list of texts, none of them empty",
            ],
        ),
        (
            "version: 1\nchannels: {waha: {persona_file: ../x}}",
            ["channels.waha: persona_file must be the name of a file, without a folder"],
        ),
    ],
)
def test_every_error_is_a_line_with_its_path(text: str, lines: list[str]) -> None:
    with pytest.raises(BadPolicyFile) as caught:
        read_policy_file(text)
    assert list(caught.value.lines) == lines


@pytest.mark.parametrize(("style", "text"), [("yaml", "a: ["), ("json", "{"), ("yaml", "a: b: c")])
def test_what_cannot_be_read_names_its_line(style: Format, text: str) -> None:
    with pytest.raises(BadPolicyFile, match="line 1: .*this is no"):
        read_policy_file(text, style)


def test_a_rule_can_be_set_and_taken_back() -> None:
    layer = edited(Layer(reply="all"), {"takeover_s": "60"})
    assert layer == Layer(reply="all", takeover_s=60)
    assert edited(layer, {"reply": None}) == Layer(takeover_s=60)
    with pytest.raises(BadPolicy, match="^reply: must be 'all'"):
        edited(layer, {"reply": "never"})


def test_the_schema_in_the_docs_is_that_of_the_code() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == policy_schema()
