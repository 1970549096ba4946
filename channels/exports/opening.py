"""Opens a file as the export it is, or says what it looks like instead."""

from __future__ import annotations

import codecs
import json
import re
from datetime import tzinfo
from pathlib import Path
from typing import NamedTuple

from channels.exports.errors import ExportError
from channels.exports.export import DateOrder, Export, ExportKind
from channels.exports.files import reading
from channels.exports.jsonl import JsonLinesExport
from channels.exports.whatsapp.dates import recognise
from channels.exports.whatsapp.reader import WhatsAppExport
from channels.exports.whatsapp.source import Source, find_chat

_SNIFFED_BYTES = 65_536
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ZIP = b"PK\x03\x04"
_EXPORTING = "in WhatsApp open the chat and choose More, Export chat"
_DESKTOP = "in Telegram Desktop choose Export chat history, format Machine-readable JSON"
_FOREIGN = (
    (b"\x89PNG", f"looks like an image; {_EXPORTING}"),
    (b"\xff\xd8\xff", f"looks like an image; {_EXPORTING}"),
    (b"GIF8", f"looks like an image; {_EXPORTING}"),
    (b"RIFF", f"looks like an image, a sound or a video; {_EXPORTING}"),
    (b"%PDF", f"looks like a PDF; {_EXPORTING}"),
    (b"OggS", f"looks like a sound; {_EXPORTING}"),
    (b"SQLite format 3", f"looks like a chat database, which is not read; {_EXPORTING}"),
    (b"\x1f\x8b", "looks like a gzip; unpack it first (gunzip)"),
    (b"Rar!", "looks like a RAR archive; unpack it first"),
    (b"7z\xbc\xaf", "looks like a 7z archive; unpack it first"),
    (b"PK\x05\x06", f"looks like an empty zip; {_EXPORTING}"),
)
_CRYPT = re.compile(r"\.crypt\d*$", re.IGNORECASE)
_HTML = re.compile(rb"\s*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_ARRAY = re.compile(rb"\s*\[\s*\{")
_TELEGRAM = re.compile(rb'"(?:messages|chats|left_chats|personal_information)"\s*:')
_LINE_KEYS = ("sender", "text", "timestamp")
_LINE = re.compile(rb'"(?:sender|text|timestamp)"\s*:')
_MAX_NULS = 0.1
"""Share of NULs above which a file is binary; a damaged chat has a few."""
_NAMES = {
    "whatsapp": "a WhatsApp export",
    "telegram": "a Telegram export (result.json)",
    "jsonl": "JSON lines",
}


class _Look(NamedTuple):
    """What a file looks like; for what begins like no export, whose reader is to say why.

    `keys`: those of a JSON object that no export has.
    """

    kind: ExportKind | None
    is_zip: bool = False
    guess: ExportKind = "whatsapp"
    keys: tuple[str, ...] = ()


def open_export(
    path: Path,
    kind: ExportKind | None = None,
    *,
    date_order: DateOrder | None = None,
    timezone: tzinfo,
) -> Export:
    """Read an export once from end to end, at constant memory.

    Args:
        path: A WhatsApp `.txt` or `.zip`, Telegram's `result.json`, or JSON lines.
        kind: What wrote it; None to find out.
        date_order: How WhatsApp's dates are written; None to find out.
        timezone: Of times that name none, as all of WhatsApp's do.

    Raises:
        UndecidedDates: Day and month cannot be told apart; give `date_order`.
        ExportError: It cannot be read as a chat: what is wrong, and what to do.
    """
    look = _look(path)
    source = find_chat(path) if look.is_zip else Source(path)
    if kind is not None and look.kind is not None and kind != look.kind:
        raise ExportError(
            f"{path}: looks like {_NAMES[look.kind]}: leave --as out or say --as {look.kind}"
        )
    if kind is None and look.keys:
        shown = ", ".join(json.dumps(key, ensure_ascii=False)[:30] for key in look.keys[:4])
        raise ExportError(
            f"{path}: JSON of some other program, with {shown}; taken are Telegram's result.json"
            " and JSON lines, an object a line with sender, text and timestamp"
        )
    kind = look.kind or kind or look.guess
    if kind == "telegram":
        # Its parser is a compiled library, which nobody else needs.
        from channels.exports.telegram.reader import TelegramExport

        return TelegramExport(path, timezone)
    if kind == "jsonl":
        return JsonLinesExport(path, timezone)
    return WhatsAppExport(source, date_order, timezone)


def _look(path: Path) -> _Look:
    """Tell an export by how it begins. Raises ExportError for what is none."""
    with reading(path), path.open("rb") as file:
        start = file.read(_SNIFFED_BYTES)
    if not start.strip():
        raise ExportError(f"{path}: the file is empty; export the chat again")
    if _CRYPT.search(path.name):
        raise ExportError(f"{path}: looks like an encrypted chat database; {_EXPORTING}")
    if start.startswith(_ZIP):
        return _Look("whatsapp", is_zip=True)
    foreign = next((told for magic, told in _FOREIGN if start.startswith(magic)), "")
    if foreign or start[4:8] == b"ftyp":
        raise ExportError(f"{path}: {foreign or f'looks like a video; {_EXPORTING}'}")
    if start.startswith(_WIDE):
        start = start[: len(start) & ~1].decode("utf-16", "replace").encode()
    start = start.removeprefix(codecs.BOM_UTF8)
    if _HTML.match(start):
        raise ExportError(f"{path}: looks like an HTML export; {_DESKTOP}")
    if start.count(0) > _MAX_NULS * len(start):
        raise ExportError(f"{path}: looks like a binary file and no chat; {_EXPORTING}")
    if _ARRAY.match(start):
        raise ExportError(f"{path}: looks like one JSON list; give one object a line (jq -c '.[]')")
    start = start.lstrip()
    return _look_of_json(start) if start.startswith(b"{") else _look_of_text(start)


def _look_of_text(start: bytes) -> _Look:
    lines = start.decode("utf-8", "replace").split("\n")
    is_chat = any(recognise(line) is not None for line in lines)
    return _Look("whatsapp" if is_chat else None)


def _look_of_json(start: bytes) -> _Look:
    first, _, more = start.partition(b"\n")
    try:
        whole = json.loads(first)
    except (ValueError, RecursionError):
        # Telegram Desktop writes one key a line; or the line is longer than we look.
        if _TELEGRAM.search(start):
            return _Look("telegram")
        if more and _LINE.search(first):
            return _Look("jsonl")
        return _Look(None, guess="jsonl" if first.strip(b"{ \t\r") else "telegram")
    if any(isinstance(whole.get(key), list | dict) for key in ("messages", "chats")):
        return _Look("telegram")
    if whole and not any(key in whole for key in _LINE_KEYS):
        return _Look(None, guess="jsonl", keys=tuple(whole))
    return _Look("jsonl")
