"""Telegram Desktop's `result.json` as a stream of messages, at constant memory."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import ijson

from channels.exports.errors import ExportError
from channels.exports.files import reading
from channels.exports.telegram.content import Message
from channels.text import clean_name, clean_text

MAX_DEPTH = 64
"""Of values inside a message; Telegram nests about five deep."""
_CHAT_LISTS = ("chats", "left_chats")

Events = Iterator[tuple[str, Any]]  # of a JSON parser: an event's name, and any scalar


@dataclass(slots=True, eq=False)
class Chat:
    """A chat as far as it was read; name, id and kind are certain once all of it was."""

    name: str = ""
    chat_id: str = ""
    kind: str = ""


class _Clean:
    """Gives a JSON parser valid UTF-8, whatever the file holds, and counts lines."""

    def __init__(self, file: IO[bytes]) -> None:
        start = file.read(4)
        file.seek(0)
        wide = start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-16" if wide else "utf-8-sig")("replace")
        self.lines = 1

    def read(self, size: int = -1) -> bytes:
        """Return a next piece, empty at the end only; about `size` bytes."""
        if size == 0:
            return b""
        while piece := self._file.read(size):
            self.lines += piece.count(b"\n")
            if text := self._decoder.decode(piece):
                return text.encode()
        return self._decoder.decode(b"", final=True).encode()


def messages_of(path: Path, chats: list[Chat]) -> Iterator[tuple[Chat, Message | None]]:
    """Yield each message with its chat.

    Args:
        path: Of the `result.json`.
        chats: Takes each chat when its messages begin.

    Raises:
        ExportError: It is no such file, or it is damaged.
    """
    with reading(path), path.open("rb") as file:
        clean = _Clean(file)
        try:
            yield from _root(ijson.basic_parse(clean, use_float=True), chats)
        except (ijson.JSONError, ValueError) as exc:
            raise ExportError(
                f"{path}: no Telegram export, or broken or cut off, near line {clean.lines};"
                " export the chat again"
            ) from exc


def _root(events: Events, chats: list[Chat]) -> Iterator[tuple[Chat, Message | None]]:
    event, _ = next(events, ("", None))
    if event != "start_map":
        raise ValueError("an export is one object")
    single = Chat()
    for key in _keys(events):
        if key in _CHAT_LISTS:
            yield from _chat_list(events, chats)
        else:
            yield from _field(events, key, single, chats)


def _chat_list(events: Events, chats: list[Chat]) -> Iterator[tuple[Chat, Message | None]]:
    event, value = next(events)
    if event != "start_map":
        _build(events, event, value)
        return
    for key in _keys(events):
        event, value = next(events)
        if key != "list" or event != "start_array":
            _build(events, event, value)
            continue
        for event, value in events:
            if event == "end_array":
                break
            if event != "start_map":
                _build(events, event, value)
                continue
            chat = Chat()
            for inner in _keys(events):
                yield from _field(events, inner, chat, chats)


def _field(
    events: Events, key: str, chat: Chat, chats: list[Chat]
) -> Iterator[tuple[Chat, Message | None]]:
    """Read one field of a chat, its messages one by one."""
    event, value = next(events)
    if key != "messages" or event != "start_array":
        if event in ("start_map", "start_array"):
            _skip(events)
        elif key == "name":
            chat.name = clean_name(value) if isinstance(value, str) else ""
        elif key == "id":
            chat.chat_id = "" if value is None else clean_text(str(value))
        elif key == "type":
            chat.kind = str(value)
        return
    chats.append(chat)
    for event, value in events:
        if event == "end_array":
            break
        message = _build(events, event, value)
        yield chat, message if isinstance(message, dict) else None


def _keys(events: Events) -> Iterator[str]:
    """Yield a map's keys; whoever asks for the next has read the value."""
    for event, value in events:
        if event == "end_map":
            return
        yield value


def _skip(events: Events) -> None:
    """Pass over a map or array that was begun, without keeping it."""
    depth = 1
    for event, _ in events:
        depth += event.startswith("start_") - event.startswith("end_")
        if depth == 0:
            return


def _build(events: Events, event: str, value: Any) -> Any:
    """Return the value that begins with an event. Raises ValueError if it nests too deep."""
    if event not in ("start_map", "start_array"):
        return value
    built: Any = {} if event == "start_map" else []
    current, key = built, ""
    outer: list[Any] = []
    for event, value in events:
        if event == "map_key":
            key = value
            continue
        if event in ("end_map", "end_array"):
            if not outer:
                break
            current = outer.pop()
            continue
        is_map = event == "start_map"
        is_nested = is_map or event == "start_array"
        item: Any = ({} if is_map else []) if is_nested else value
        if type(current) is dict:
            current[key] = item
        else:
            current.append(item)
        if is_nested:
            outer.append(current)
            current = item
            if len(outer) > MAX_DEPTH:
                raise ValueError("nested too deep")
    return built
