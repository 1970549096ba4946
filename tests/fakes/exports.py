"""An export of a made-up chat: as many entries as wanted, the same ones every time."""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from channels.exports.export import Entry, ExportedChat, ExportKind

START = datetime(2025, 1, 1, 9, 0, tzinfo=UTC)

_WORDS = (
    "train dinner tonight tomorrow bread milk kids school doctor birthday party flat rent call home"
    " love new lamp bought market please bring keys water great idea think really garden window"
).split()


def entry(
    text: str, sender: str = "Anna", number: int = 0, *, chat: str = "anna", is_system: bool = False
) -> Entry:
    """Return one entry, `number` minutes after the start."""
    return Entry(
        chat=chat,
        message_id=f"{chat}-{number}",
        sender="" if is_system else sender,
        sender_id="" if is_system else sender,
        text=text,
        sent_at=START + timedelta(minutes=number),
        is_system=is_system,
    )


def chatter(count: int, seed: int = 1) -> list[Entry]:
    """Return so many short messages of Anna and Max; fewer are the beginning of more."""
    draw = random.Random(seed)
    return [
        entry(
            f"{' '.join(draw.choices(_WORDS, k=draw.randint(1, 12)))} {number}",
            draw.choice(("Anna", "Max")),
            number,
        )
        for number in range(count)
    ]


def chat_file(folder: Path, count: int) -> Path:
    """Write so many messages of Anna and Max as JSON lines; return the file."""
    path = folder / "chat.jsonl"
    lines = [
        {"id": m.message_id, "sender": m.sender, "text": m.text, "timestamp": m.sent_at.timestamp()}
        for m in chatter(count)
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


@dataclass(frozen=True)
class MadeExport:
    """`channels.exports.export.Export` over a list of entries."""

    made: Sequence[Entry]
    kind: ExportKind = "jsonl"
    path: Path = Path("made.jsonl")
    chats: Sequence[ExportedChat] = field(init=False)

    def __post_init__(self) -> None:
        """Count who says how much where."""
        chats = []
        for key in dict.fromkeys(each.chat for each in self.made):
            own = [each for each in self.made if each.chat == key]
            people = Counter(each.sender for each in own if not each.is_system)
            chats.append(ExportedChat(key, key.title(), len(people) > 2, people, len(own)))
        object.__setattr__(self, "chats", tuple(chats))

    @property
    def sha256(self) -> str:
        """Of what it holds."""
        return hashlib.sha256(repr(list(self.made)).encode()).hexdigest()

    @property
    def messages(self) -> int:
        """Entries in total."""
        return len(self.made)

    def entries(self) -> Iterator[Entry]:
        """Read them again."""
        return iter(self.made)
