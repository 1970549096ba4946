"""Telling an export by its look, and saying what a file is that is none."""

from __future__ import annotations

import gzip
import hashlib
import json
import zipfile
from datetime import UTC
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from channels.exports.errors import ExportError
from channels.exports.export import ExportKind
from channels.exports.opening import open_export
from memory.errors import RecollectError

KINDS: list[ExportKind | None] = [None, "whatsapp", "telegram", "jsonl"]
WHATSAPP = b"31.12.24, 21:41 - Anna: hi\n[31.12.24, 21:41:07] Ben: \xe2\x80\x8e<attached: a.jpg>\n"
TELEGRAM = json.dumps(
    {
        "name": "Anna",
        "id": 7,
        "type": "personal_chat",
        "messages": [
            {"id": 1, "type": "message", "date_unixtime": "1", "from": "A", "text": ["x"]}
        ],
    },
    indent=1,
).encode()
JSONL = b'{"sender": "Anna", "text": "hi", "timestamp": 1}\n'


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (WHATSAPP, "whatsapp"),
        (TELEGRAM, "telegram"),
        (TELEGRAM.replace(b"\n", b""), "telegram"),
        (b'{"chats": {"list": [' + TELEGRAM + b"]}}", "telegram"),
        (TELEGRAM.decode().encode("utf-16"), "telegram"),
        (JSONL, "jsonl"),
        (b"\xef\xbb\xbf" + JSONL, "jsonl"),
    ],
)
def test_an_export_is_told_by_its_look(content: bytes, kind: ExportKind, tmp_path: Path) -> None:
    path = tmp_path / "export"
    path.write_bytes(content)
    for asked in (None, kind):
        export = open_export(path, asked, timezone=UTC)
        assert (export.kind, export.path) == (kind, path)
        assert export.sha256 == hashlib.sha256(content).hexdigest()
        assert export.messages == len(list(export.entries())) == 1


@pytest.mark.parametrize(
    ("content", "asked", "told"),
    [
        (TELEGRAM, "whatsapp", r"Telegram export \(result.json\): leave --as out or say --as tele"),
        (TELEGRAM, "jsonl", "say --as telegram"),
        (WHATSAPP, "telegram", "a WhatsApp export: leave --as out or say --as whatsapp"),
        (WHATSAPP, "jsonl", "say --as whatsapp"),
        (JSONL, "whatsapp", "looks like JSON lines: .*--as jsonl"),
        (b"some notes\n", "telegram", "no Telegram export, or broken"),
        (b"some notes\n", "jsonl", "line 1: Invalid JSON"),
        (b"some notes\n", None, "no line begins like a WhatsApp message"),
        (b'{"a": 1}\n', None, 'some other program, with "a"; taken are Telegram.*sender, text'),
        (b'{"a": 1}\n', "jsonl", "line 1: sender: Field required"),
        (b'{"text": 1}\n', None, "line 1: sender: Field required"),
        (b'{\n "a": 1\n}\n', None, "no chat in it; in Telegram Desktop.*sender, text"),
        (b'[{"sender": "Anna"}]', None, "one JSON list; give one object a line"),
        (b"", None, "empty"),
        (b" \n\n", "whatsapp", "empty"),
        (b"\x89PNG\r\n\x1a\n123", None, "image"),
        (b"\xff\xd8\xff\xe0 123", None, "image"),
        (b"\0\0\0 ftypmp42", None, "video"),
        (b"<!DOCTYPE html>\n<html>", None, "HTML export; .*Machine-readable JSON"),
        (b"SQLite format 3\0 123", None, "chat database"),
        (gzip.compress(b"x", mtime=0), None, "gzip; unpack"),
        (b"%PDF-1.7", None, "PDF"),
        (b"\x7fELF\0\0\0\0\0\0", None, "binary"),
        (b"PK\x05\x06" + bytes(18), None, "empty zip"),
    ],
)
def test_what_is_no_export_says_what_it_looks_like(
    content: bytes, asked: ExportKind | None, told: str, tmp_path: Path
) -> None:
    path = tmp_path / "export.txt"
    path.write_bytes(content)
    with pytest.raises(ExportError, match=told) as caught:
        open_export(path, asked, timezone=UTC)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, RecollectError)


def test_what_cannot_be_opened_says_why(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="a folder; give the file in it: Telegram's result.json"):
        open_export(tmp_path, timezone=UTC)
    (tmp_path / "_chat.txt").write_bytes(WHATSAPP)
    with pytest.raises(ExportError, match="a folder; give the file in it: .*/_chat.txt$"):
        open_export(tmp_path, timezone=UTC)
    with pytest.raises(ExportError, match="No such file"):
        open_export(tmp_path / "gone.txt", timezone=UTC)
    (tmp_path / "msgstore.db.crypt15").write_bytes(b"\x01\x02\x03")
    with pytest.raises(ExportError, match="encrypted chat database"):
        open_export(tmp_path / "msgstore.db.crypt15", timezone=UTC)


def read_all(path: Path) -> None:
    for kind in KINDS:
        try:
            export = open_export(path, kind, timezone=UTC)
            found = list(export.entries())
        except ExportError as exc:
            assert "\n" not in str(exc)
            continue
        assert len(found) == export.messages == sum(chat.messages for chat in export.chats)
        assert {one.chat for one in found} <= {chat.key for chat in export.chats}
        assert not any("\0" in one.text + one.sender for one in found)
        assert all(one.sent_at.tzinfo is UTC for one in found)


LINES = st.sampled_from(
    [
        *(
            "31.12.24, 21:41 - ",
            "[31.12.24, 21:41:07] ",
            "12/31/24, 9:41 PM - ",
            "1/2/24, 10:00 - ",
        ),
        *(
            "Anna: ",
            "Ben: ",
            "\u200e",
            "<",
            ">",
            "attached: a.jpg",
            " (file attached)",
            "\n",
            "\r\n",
        ),
        *(
            "\0",
            "image omitted",
            "\ufeff",
            "٣",
            "[",
            "]",
            ": ",
            "99/99/99, 99:99 - ",
            "\u2028",
            "\r",
        ),
        *('{"messages": [', '{"id": 1, "date_unixtime": "1", "text": "x"}', "]}", ",", '"list":'),
        *(
            '{"sender": "A", "text": "x", "timestamp": ',
            "1}",
            "1e999}",
            "null",
            '"\\ud800"',
            "{",
            "}",
        ),
        *('"chats": ', '"type": "service"', '"from": ', '"id": ', "\U0001f600"),
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(LINES, max_size=30).map("".join).map(str.encode) | st.binary(max_size=300))
@example(b'{"messages": [{"id": 1, "date_unixtime": "1", "text": "x"}, 5, null, [[]]]}')
@example(b'{"messages": [{"id": {}, "date": 5, "from": [], "text": {"a": 1}}]}')
@example(b'{"chats": [], "left_chats": 5, "messages": {}, "name": {}}')
@example('12/31/24, 9:41 PM - Anna: "\ud83d"'.encode("utf-8", "surrogatepass"))
@example(b"\xff\xfe1\x002\x00")
def test_any_bytes_are_read_or_refused_in_one_line(content: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "export"
        path.write_bytes(content)
        read_all(path)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_spoiled_zip_is_read_or_refused_in_one_line(data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "WhatsApp Chat - Anna.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("_chat.txt", WHATSAPP * 9)
        raw = bytearray(path.read_bytes())
        for at in data.draw(st.lists(st.integers(0, len(raw) - 1), max_size=4)):
            raw[at] = data.draw(st.integers(0, 255))
        path.write_bytes(bytes(raw[: data.draw(st.integers(0, len(raw)))]) or b"x")
        read_all(path)
