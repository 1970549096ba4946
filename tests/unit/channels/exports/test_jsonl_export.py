"""Chat history as JSON lines."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from channels.exports.errors import ExportError
from channels.exports.export import Export
from channels.exports.jsonl import MAX_LINE_BYTES
from channels.exports.opening import open_export
from tests.long_texts import LONG_TEXT

GOOD: dict[str, Any] = {"sender": "Anna", "text": "hi", "timestamp": "2024-12-31T21:41:07Z"}
SENT = datetime(2024, 12, 31, 21, 41, 7, tzinfo=UTC)


def opened(folder: Path, *lines: dict[str, Any] | str, name: str = "lake.jsonl") -> Export:
    path = folder / name
    said = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(said))
    return open_export(path, timezone=ZoneInfo("Europe/Berlin"))


def test_the_least_a_line_needs(tmp_path: Path) -> None:
    export = opened(tmp_path, GOOD, "", GOOD | {"sender": "Ben"})
    assert (export.kind, export.messages) == ("jsonl", 2)
    (only,) = export.chats
    assert (only.key, only.title, only.is_group) == ("lake", "lake", False)
    assert dict(only.people) == {"Anna": 1, "Ben": 1}
    first, _ = export.entries()
    assert (first.sender, first.sender_id, first.text, first.sent_at) == (
        "Anna",
        "Anna",
        "hi",
        SENT,
    )


def test_all_a_line_can_say(tmp_path: Path) -> None:
    line = GOOD | {
        "chat": "c1",
        "chat_title": "Lake",
        "is_group": True,
        "id": 7,
        "sender_id": "u1",
        "forwarded": True,
        "reply_to": 6,
        "mood": "unknown fields are passed over",
    }
    export = opened(tmp_path, line, GOOD | {"chat": "c2"})
    assert [(one.key, one.title, one.is_group) for one in export.chats] == [
        ("c1", "Lake", True),
        ("c2", "c2", False),
    ]
    first, second = export.entries()
    assert (first.message_id, first.sender_id, first.forwarded, first.reply_to) == (
        "7",
        "u1",
        True,
        "6",
    )
    assert (second.chat, second.reply_to) == ("c2", "")


@pytest.mark.parametrize(
    "timestamp",
    [
        *("2024-12-31T21:41:07Z", "2024-12-31T22:41:07+01:00", "2024-12-31 22:41:07"),
        *(1735681267, 1735681267.0),
    ],
)
def test_times(timestamp: object, tmp_path: Path) -> None:
    (only,) = opened(tmp_path, GOOD | {"timestamp": timestamp}).entries()
    assert only.sent_at == SENT
    assert only.sent_at.tzinfo is UTC


def test_a_line_without_a_sender_is_a_system_line(tmp_path: Path) -> None:
    (only,) = opened(tmp_path, GOOD | {"sender": "", "text": "Ben left"}).entries()
    assert only.is_system


def test_lines_without_ids_get_ones_that_last(tmp_path: Path) -> None:
    lines = [GOOD, GOOD, GOOD | {"text": "more"}]
    short = [one.message_id for one in opened(tmp_path, *lines).entries()]
    longer = [one.message_id for one in opened(tmp_path, *lines, GOOD).entries()]
    assert longer[:3] == short
    assert len(set(longer)) == 4


def test_a_long_text_is_read_whole(tmp_path: Path) -> None:
    (one,) = opened(tmp_path, GOOD | {"text": LONG_TEXT}).entries()
    assert one.text == LONG_TEXT


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"sender": "Anna", ', "line 2: Invalid JSON"),
        ("hello", "line 2: Invalid JSON"),
        ("[]", "line 2: .*object"),
        ({"text": "hi", "timestamp": 1}, "line 2: sender: Field required"),
        (GOOD | {"text": None}, "line 2: text: .*string"),
        (GOOD | {"timestamp": "yesterday"}, "line 2: timestamp: give ISO 8601 or seconds"),
        (GOOD | {"timestamp": True}, "line 2: timestamp: give ISO 8601"),
        (GOOD | {"timestamp": 1735681267000}, "line 2: timestamp: .*not milliseconds"),
        (GOOD | {"timestamp": "0001-01-01T00:00:00+14:00"}, "line 2: timestamp: beyond any"),
        (GOOD | {"forwarded": "maybe"}, "line 2: forwarded: "),
        (GOOD | {"text": "x" * MAX_LINE_BYTES}, "line 2: longer than 16 MiB"),
    ],
)
def test_a_broken_line_says_which_and_why(
    line: dict[str, Any] | str, told: str, tmp_path: Path
) -> None:
    with pytest.raises(ExportError, match=f"lake.jsonl, {told}"):
        opened(tmp_path, GOOD, line)


def test_an_error_repeats_no_text(tmp_path: Path) -> None:
    with pytest.raises(ExportError) as caught:
        opened(tmp_path, GOOD, GOOD | {"text": ["a secret"], "timestamp": "my secret"})
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)
