"""Chat history as JSON lines: what other programs' histories are turned into for an import."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from channels.exports.errors import ExportError
from channels.exports.export import Entry, ExportedChat, ExportKind
from channels.exports.files import reading, sha256_of
from channels.exports.ids import LineIds
from channels.text import clean_name, clean_text

MAX_LINE_BYTES = 2**24
"""Of one line: a file without line ends must not fill the memory."""
_LATEST_S = 32_503_680_000
"""The year 3000: a greater number of seconds was meant as milliseconds."""
_SHOWN = 3
"""Problems of one line that are named."""
_A_PAIR = 2


def _read_time(value: object) -> datetime:
    """Read seconds since 1970, or ISO 8601, which may lack a time zone."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("give ISO 8601 or seconds since 1970")
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value.strip())
        except ValueError:
            raise ValueError("give ISO 8601 or seconds since 1970") from None
    if not math.isfinite(value) or not 0 <= value < _LATEST_S:
        raise ValueError("not between the years 1970 and 3000; give seconds, not milliseconds")
    return datetime.fromtimestamp(value, UTC)


class Line(BaseModel):
    """One message. Unknown fields are passed over."""

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)

    chat: str = Field("", max_length=500)
    chat_title: str = ""
    is_group: bool | None = None
    id: str = Field("", max_length=500)
    sender: str
    sender_id: str = Field("", max_length=500)
    text: str
    timestamp: Annotated[datetime, BeforeValidator(_read_time)]
    forwarded: bool = False
    reply_to: str = Field("", max_length=500)


@dataclass(slots=True)
class _Chat:
    """What was read of a chat so far."""

    title: str = ""
    is_group: bool | None = None
    people: Counter[str] = field(default_factory=Counter)
    entries: int = 0


class _Numbered(NamedTuple):
    number: int
    line: Line


class JsonLinesExport:
    """Any number of chats, one message a line, in any order."""

    kind: ExportKind = "jsonl"

    def __init__(self, path: Path, timezone: tzinfo) -> None:
        """Read the file from end to end.

        Args:
            path: Of the file.
            timezone: Of timestamps that name none.

        Raises:
            ExportError: A line is no message: which, and what is wrong with it.
        """
        self.path = path
        self.sha256 = sha256_of(path)
        self._timezone = timezone
        chats: dict[str, _Chat] = {}
        for number, line in _lines(path):
            self._moment(number, line)
            chat = chats.setdefault(self._key(line), _Chat())
            chat.entries += 1
            chat.title = chat.title or clean_name(line.chat_title)
            chat.is_group = line.is_group if chat.is_group is None else chat.is_group
            if name := clean_name(line.sender):
                chat.people[name] += 1
        if not chats:
            raise ExportError(f"{path}: no message in it; give one JSON object a line")
        self.chats: Sequence[ExportedChat] = tuple(
            ExportedChat(
                key=key,
                title=chat.title or clean_name(key),
                is_group=len(chat.people) > _A_PAIR if chat.is_group is None else chat.is_group,
                people=dict(chat.people.most_common()),
                messages=chat.entries,
            )
            for key, chat in chats.items()
        )
        self.messages = sum(chat.messages for chat in self.chats)

    def entries(self) -> Iterator[Entry]:
        """Yield the entries in the order of the file. Raises ExportError."""
        ids = LineIds()
        for number, line in _lines(self.path):
            key, moment = self._key(line), self._moment(number, line)
            name = clean_name(line.sender)
            yield Entry(
                chat=key,
                message_id=clean_text(line.id)
                or ids.next(moment.isoformat(), f"{key}\n{name}: {line.text}"),
                sender=name,
                sender_id=clean_text(line.sender_id) or name,
                text=clean_text(line.text).strip(),
                sent_at=moment,
                is_system=not name,
                forwarded=line.forwarded,
                reply_to=clean_text(line.reply_to),
            )

    def _key(self, line: Line) -> str:
        return clean_text(line.chat or line.chat_title or self.path.stem)

    def _moment(self, number: int, line: Line) -> datetime:
        at = line.timestamp
        try:
            return (at if at.tzinfo else at.replace(tzinfo=self._timezone)).astimezone(UTC)
        except OverflowError:
            raise ExportError(
                f"{self.path}, line {number}: timestamp: beyond any calendar; correct the line"
            ) from None


def _lines(path: Path) -> Iterator[_Numbered]:
    with reading(path), path.open("rb") as file:
        number = 0
        while raw := file.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(raw) > MAX_LINE_BYTES:
                raise ExportError(
                    f"{path}, line {number}: longer than {MAX_LINE_BYTES // 2**20} MiB;"
                    " give one JSON object a line"
                )
            raw = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
            if raw.strip():
                yield _Numbered(number, _parse(path, number, raw))


def _parse(path: Path, number: int, raw: bytes) -> Line:
    try:
        return Line.model_validate_json(raw)
    except ValidationError as exc:
        problems = exc.errors(include_url=False, include_context=False, include_input=False)
        told = "; ".join(_problem(str(at["msg"]), at["loc"]) for at in problems[:_SHOWN])
        raise ExportError(f"{path}, line {number}: {told}; correct the line") from exc


def _problem(message: str, where: tuple[int | str, ...]) -> str:
    message = message.removeprefix("Value error, ")
    return f"{where[0]}: {message}" if where else message
