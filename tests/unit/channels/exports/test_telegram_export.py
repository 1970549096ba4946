"""Telegram Desktop's result.json: one chat or all of them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from channels.exports.errors import ExportError
from channels.exports.export import Export
from channels.exports.opening import open_export
from tests.long_texts import LONG_TEXT

AT = {"date": "2024-12-31T22:41:07", "date_unixtime": "1735677667"}
SENT = datetime(2024, 12, 31, 20, 41, 7, tzinfo=UTC)


def message(number: int, **more: Any) -> dict[str, Any]:
    sent = {"id": number, "type": "message", **AT, "from": "Anna", "from_id": "user7", "text": "hi"}
    return sent | more


def single(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": "Anna", "type": "personal_chat", "id": 77, **more, "messages": list(messages)}


def opened(folder: Path, data: object, indent: int | None = 1) -> Export:
    path = folder / "result.json"
    path.write_text(json.dumps(data, indent=indent, ensure_ascii=False))
    return open_export(path, timezone=ZoneInfo("Europe/Berlin"))


@pytest.mark.parametrize("indent", [1, None])
def test_a_single_chat(indent: int | None, tmp_path: Path) -> None:
    export = opened(
        tmp_path, single(message(1), message(2, **{"from": "Ben", "from_id": "user8"})), indent
    )
    assert (export.kind, export.messages) == ("telegram", 2)
    (only,) = export.chats
    assert (only.key, only.title, only.is_group, only.messages) == ("77", "Anna", False, 2)
    assert dict(only.people) == {"Anna": 1, "Ben": 1}
    first, second = export.entries()
    assert (first.chat, first.message_id, first.sender, first.sender_id) == (
        "77",
        "1",
        "Anna",
        "user7",
    )
    assert (first.text, first.sent_at, second.sender_id) == ("hi", SENT, "user8")


def test_a_long_text_is_read_whole(tmp_path: Path) -> None:
    (one,) = opened(tmp_path, single(message(1, text=LONG_TEXT))).entries()
    assert one.text == LONG_TEXT


@pytest.mark.parametrize("indent", [1, None])
def test_a_full_export_has_all_chats(indent: int | None, tmp_path: Path) -> None:
    chats = [
        single(message(1), id=1),
        single(message(1), id=2, name="Lake", type="private_supergroup"),
        {"type": "saved_messages", "id": 3, "messages": [message(5, forwarded_from=None)]},
        {"name": None, "type": "personal_chat", "id": 4, "messages": []},
    ]
    data = {
        "about": "Here is the data you requested.",
        "personal_information": {"user_id": 7, "messages": [{"id": 1}]},
        "contacts": {"list": [{"first_name": "Ben"}]},
        "chats": {"about": "This page lists all chats.", "list": chats},
        "left_chats": {"about": "", "list": [single(message(9), id=2, name="Lake")]},
    }
    export = opened(tmp_path, data, indent)
    assert [(one.key, one.title, one.is_group, one.messages) for one in export.chats] == [
        ("1", "Anna", False, 1),
        ("2", "Lake", True, 2),
        ("3", "Saved Messages", False, 1),
        ("4", "Deleted Account", False, 0),
    ]
    found = list(export.entries())
    assert [(one.chat, one.message_id) for one in found] == [
        ("1", "1"),
        ("2", "1"),
        ("3", "5"),
        ("2", "9"),
    ]
    assert [one.forwarded for one in found] == [False, False, True, False]


def test_a_chats_name_may_come_after_its_messages(tmp_path: Path) -> None:
    data = {"messages": [message(1)], "id": 77, "type": "private_group", "name": "Lake"}
    export = opened(tmp_path, data)
    assert (export.chats[0].title, export.chats[0].is_group) == ("Lake", True)
    assert [one.chat for one in export.entries()] == ["77"]


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"text": ["see ", {"type": "link", "text": "a.example"}, " now"]}, "see a.example now"),
        ({"text": "", "text_entities": [{"type": "plain", "text": "x"}]}, "x"),
        ({"text": None}, ""),
        ({"text": [1, {"type": "bold"}, ["x"]]}, ""),
        ({"photo": "photos/photo_1.jpg", "text": "the lake"}, "[Image]\nthe lake"),
        ({"photo": "(File not included. Change data exporting settings to download.)"}, "[Image]"),
        ({"file": "files/Lease.pdf", "mime_type": "application/pdf"}, "[Document] Lease.pdf"),
        ({"file": "(File not included.)", "file_name": "Lease.pdf"}, "[Document] Lease.pdf"),
        ({"file": "(File not included.)", "mime_type": "image/png"}, "[Image]"),
        ({"file": "s.webp", "media_type": "sticker", "sticker_emoji": "🌊"}, "[Sticker] 🌊"),
        ({"file": "a/v.ogg", "media_type": "voice_message"}, "[Voice Message]"),
        ({"file": "a/v.mp4", "media_type": "video_message"}, "[Video]"),
        (
            {"file": "a/v.mp4", "media_type": "video_file", "file_name": "sea.mp4"},
            "[Video] sea.mp4",
        ),
        ({"media_type": "audio_file", "performer": "Low", "title": "Sea"}, "[Audio] Low Sea"),
        ({"media_type": "animation", "file": "a/g.mp4"}, "[Animation]"),
        ({"media_type": "hologram"}, "[Media]"),
        ({"media_type": ["odd"]}, "[Media]"),
        (
            {"contact_information": {"first_name": "Ben", "last_name": "Berg"}},
            "[Contact Card] Ben Berg",
        ),
        ({"location_information": {"latitude": 1.5, "longitude": 2}}, "[Location]"),
        (
            {"place_name": "Pier", "address": "Sea Rd 1", "location_information": {}},
            "[Location] Pier Sea Rd 1",
        ),
        ({"poll": {"question": "Where to?", "answers": []}}, "[Poll] Where to?"),
        ({"poll": "odd"}, "[Poll]"),
    ],
)
def test_what_a_message_says(fields: dict[str, Any], text: str, tmp_path: Path) -> None:
    base = {"text": ""} | fields
    (only,) = opened(tmp_path, single(message(1, **base))).entries()
    assert only.text == text


def test_replies_forwards_and_edits(tmp_path: Path) -> None:
    export = opened(
        tmp_path,
        single(
            message(1, edited="2024-12-31T23:00:00", edited_unixtime="1735678800", text="at nine"),
            message(2, reply_to_message_id=1),
            message(3, reply_to_message_id=1, reply_to_peer_id="channel5"),
            message(4, forwarded_from="Ben"),
        ),
    )
    found = list(export.entries())
    assert [one.reply_to for one in found] == ["", "1", "", ""]
    assert [one.forwarded for one in found] == [False, False, False, True]
    assert found[0].text == "at nine"
    assert found[0].sent_at == SENT


def test_service_messages_are_system_lines(tmp_path: Path) -> None:
    events: list[dict[str, Any]] = [
        {"actor": "Anna", "action": "create_group", "title": "Lake", "members": ["Ben", "Carla"]},
        {"actor": "Anna", "action": "pin_message", "message_id": 4},
        {"action": "phone_call", "members": [None, 5]},
        {},
    ]
    export = opened(
        tmp_path,
        single(*({"id": n, "type": "service", **AT, **event} for n, event in enumerate(events, 1))),
    )
    found = list(export.entries())
    assert [one.text for one in found] == [
        "Anna [create group: Lake, Ben, Carla]",
        "Anna [pin message]",
        "[phone call]",
        "[unknown]",
    ]
    assert all(one.is_system and not one.sender for one in found)
    assert dict(export.chats[0].people) == {}


def test_old_exports_have_wall_clock_dates_and_numbers_for_senders(tmp_path: Path) -> None:
    old = {
        "id": 1,
        "type": "message",
        "date": "2024-12-31T21:41:07",
        "from": "Anna",
        "from_id": 7,
        "text": "hi",
    }
    (only,) = opened(tmp_path, single(old)).entries()
    assert (only.sent_at, only.sender_id) == (SENT, "7")


def test_a_deleted_account_has_a_name_to_show(tmp_path: Path) -> None:
    (only,) = opened(tmp_path, single(message(1, **{"from": None}))).entries()
    assert (only.sender, only.sender_id) == ("Deleted Account", "user7")


def test_what_telegram_could_not_export_is_passed_over(tmp_path: Path) -> None:
    export = opened(tmp_path, single({"id": 3, "type": "unsupported"}, message(4, type="new_kind")))
    assert [one.message_id for one in export.entries()] == ["4"]
    assert export.messages == 1


def test_a_text_without_a_date_is_no_message(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="message 3 of chat 'Anna' has no date"):
        opened(tmp_path, single({"id": 3, "type": "message", "text": "hi"}))


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b'{"name": "Anna", "id": 1,\n "messages": [\n{"id": 1, ', "cut off, near line 3"),
        (b'{"name": "Anna", "messages": [}', "near line 1"),
        (b'{\n "name": "Anna"\n}', "no chat in it"),
        (b'{\n "chats": {"list": []}}', "no chat in it"),
        (b'{"messages": [' + b"[" * 5000 + b"]" * 5000 + b"]}", "near line 1"),
        (b'{"messages": [{"id": ' + b"9" * 6000 + b"}]}", "near line 1"),
    ],
)
def test_a_damaged_export_says_where(raw: bytes, told: str, tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_bytes(raw)
    with pytest.raises(ExportError, match=told):
        open_export(path, "telegram", timezone=UTC)


def test_broken_bytes_and_marks_are_read_over(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    text = json.dumps(single(message(1, text="caf\u00e9 XX")), ensure_ascii=False, indent=1)
    path.write_bytes(b"\xef\xbb\xbf" + text.encode().replace(b"XX", b"\xff\xc3"))
    assert [one.text for one in open_export(path, timezone=UTC).entries()] == ["café \ufffd\ufffd"]
    path.write_bytes(text.encode("utf-16"))
    assert [one.text for one in open_export(path, timezone=UTC).entries()] == ["café XX"]
