"""What every export of a chat history is read as, whatever wrote it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol

ExportKind = Literal["whatsapp", "telegram", "jsonl"]
DateOrder = Literal["dmy", "mdy", "ymd"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a chat.

    Attributes:
        chat: Key of the chat within the export, an `ExportedChat.key`.
        message_id: The same in every export that holds the message, unique within the chat.
        sender: Display name; empty for a system line.
        sender_id: The source's own stable id, else the name as written; empty for a system line.
        text: The current text. Media stand as a placeholder like `[Image]`, followed by the
            file's name where known and, on the next line, the caption. Empty when deleted.
        sent_at: Aware, in UTC.
        is_system: Nobody wrote it: somebody joined, a subject was changed.
        forwarded: The words are someone else's.
        reply_to: `message_id` of the message answered; empty for none.
        is_deleted: It was sent and taken back; only that is known.
    """

    chat: str
    message_id: str
    sender: str
    sender_id: str
    text: str
    sent_at: datetime
    is_system: bool = False
    forwarded: bool = False
    reply_to: str = ""
    is_deleted: bool = False


@dataclass(frozen=True, slots=True)
class ExportedChat:
    """One chat of an export.

    Attributes:
        key: Names the chat within the export, and in later exports of it.
        title: Fit to show.
        is_group: More than two people, or a channel.
        people: Display name to number of messages, most talkative first; no system lines.
        messages: Entries in total, system lines included.
    """

    key: str
    title: str
    is_group: bool
    people: Mapping[str, int]
    messages: int


class Export(Protocol):
    """A file that was read once from end to end, so that it is known to be whole.

    The chats are in the order of the file; `messages` counts all entries of all chats.
    """

    @property
    def kind(self) -> ExportKind:
        """Which program wrote it."""

    @property
    def path(self) -> Path:
        """Where it lies."""

    @property
    def sha256(self) -> str:
        """Of the file's bytes, in hex."""

    @property
    def chats(self) -> Sequence[ExportedChat]:
        """In the order of the file."""

    @property
    def messages(self) -> int:
        """Entries in total."""

    def entries(self) -> Iterator[Entry]:
        """Read the file a second time, in its order, at constant memory. Raises ExportError."""
