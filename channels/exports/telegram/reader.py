"""Reads Telegram Desktop's `result.json`: one chat, or all of an account."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from channels.exports.errors import ExportError
from channels.exports.export import Entry, ExportedChat, ExportKind
from channels.exports.files import sha256_of
from channels.exports.telegram.content import Message, content_of, service_line
from channels.exports.telegram.stream import Chat, messages_of
from channels.text import clean_name, clean_text

DELETED_ACCOUNT = "Deleted Account"
_TITLES = {"saved_messages": "Saved Messages", "replies": "Replies"}


@dataclass(slots=True)
class _Tally:
    """What a chat's messages add up to."""

    entries: int = 0
    people: Counter[str] = field(default_factory=Counter)


class TelegramExport:
    """One chat or many, from a `result.json`."""

    kind: ExportKind = "telegram"

    def __init__(self, path: Path, timezone: tzinfo) -> None:
        """Read the file from end to end.

        Args:
            path: Of the `result.json`.
            timezone: Of the computer that wrote it, for old exports without `date_unixtime`.

        Raises:
            ExportError: It is no Telegram export, or it is damaged.
        """
        self.path = path
        self.sha256 = sha256_of(path)
        self._timezone = timezone
        chats: list[Chat] = []
        tallies: defaultdict[int, _Tally] = defaultdict(_Tally)
        for chat, message in messages_of(path, chats):
            if message is None or (entry := self._entry("", message, chat.name)) is None:
                continue
            tally = tallies[len(chats)]
            tally.entries += 1
            if not entry.is_system:
                tally.people[entry.sender] += 1
        self._keys = [_key(chat, number) for number, chat in enumerate(chats, start=1)]
        counted = [tallies[number] for number in range(1, len(chats) + 1)]
        self.chats = _merged(zip(self._keys, chats, counted, strict=True))
        self.messages = sum(chat.messages for chat in self.chats)
        if not chats:
            raise ExportError(
                f"{path}: no chat in it; in Telegram Desktop choose Export chat history,"
                " format Machine-readable JSON; other JSON is taken as one object a line, each with"
                " sender, text and timestamp"
            )

    def entries(self) -> Iterator[Entry]:
        """Yield the entries in the order of the file. Raises ExportError."""
        chats: list[Chat] = []
        for chat, message in messages_of(self.path, chats):
            if message is not None:
                entry = self._entry(self._keys[len(chats) - 1], message, chat.name)
                if entry is not None:
                    yield entry

    def _entry(self, chat: str, message: Message, title: str) -> Entry | None:
        """Make an entry; None for what Telegram Desktop itself could not read."""
        message_id = str(message.get("id") or "")
        sent_at = _moment(message, self._timezone)
        if sent_at is None or not message_id:
            if message.get("text"):
                raise ExportError(
                    f"{self.path}: message {message_id or 'without an id'} of chat"
                    f" {clean_name(title)!r} has no date; export the chat again"
                )
            return None
        if message.get("type") == "service":
            line = service_line(message)
            return Entry(chat, message_id, "", "", line, sent_at, is_system=True)
        name = message.get("from")
        reply_to = message.get("reply_to_message_id")
        is_elsewhere = message.get("reply_to_peer_id") is not None
        sender = clean_name(name) if isinstance(name, str) else ""
        sender_id = message.get("from_id")
        return Entry(
            chat=chat,
            message_id=message_id,
            sender=sender or DELETED_ACCOUNT,
            sender_id=clean_text(str(sender_id or "")) or sender or DELETED_ACCOUNT,
            text=content_of(message),
            sent_at=sent_at,
            forwarded="forwarded_from" in message or "forwarded_from_id" in message,
            reply_to="" if reply_to is None or is_elsewhere else str(reply_to),
        )


def _key(chat: Chat, number: int) -> str:
    return chat.chat_id or chat.name.casefold() or f"chat-{number}"


def _merged(found: Iterable[tuple[str, Chat, _Tally]]) -> Sequence[ExportedChat]:
    """Make one of chats of one key: a chat that was left and entered again is listed twice."""
    chats: dict[str, tuple[Chat, _Tally]] = {}
    for key, chat, tally in found:
        _, total = chats.setdefault(key, (chat, tally))
        if total is not tally:
            total.entries += tally.entries
            total.people.update(tally.people)
    return tuple(
        ExportedChat(
            key=key,
            title=chat.name or _TITLES.get(chat.kind, DELETED_ACCOUNT),
            is_group="group" in chat.kind or "channel" in chat.kind,
            people=dict(tally.people.most_common()),
            messages=tally.entries,
        )
        for key, (chat, tally) in chats.items()
    )


def _moment(message: Message, timezone: tzinfo) -> datetime | None:
    try:
        return datetime.fromtimestamp(int(message["date_unixtime"]), UTC)
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        pass
    try:
        written = datetime.fromisoformat(message["date"])
        return (written if written.tzinfo else written.replace(tzinfo=timezone)).astimezone(UTC)
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
