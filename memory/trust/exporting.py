"""Everything that is kept of one person, as a zip of plain files (X5, C5; GDPR art. 15 and 20).

What may be given out: what the person said wherever it was, both sides of their direct chats, and
what is kept about them. Never what others said in groups or in private.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict
from datetime import UTC, date, datetime, tzinfo
from textwrap import wrap
from typing import Any, Final, Literal

from memory.contacts.state import state_of
from memory.contacts.timeline import zone_for
from memory.domain.projections import ProjectionName
from memory.errors import RecollectError
from memory.ports.bundle import Memory
from memory.ports.exports import ExportPart, Row
from memory.text.zones import zone_of
from memory.trust.archive import zipped

FileName = ExportPart | Literal["facts", "entities"]

FILES: Final[dict[FileName, str]] = {
    "messages": "what you said, and all of your direct chats: a line a message, chat by chat."
    " `text` is what was said, `text_left` what is left for use where a part was forgotten,"
    " `before` what it said before each edit or withdrawal, `mood`, `kinds` and `claims` what was"
    " read from it, `used` how often answers used it, `kept_out` what keeps it from being used",
    "chats": "the chats you wrote in",
    "facts": "what is known of you, with its history; `source_uid` is the message that told it",
    "entities": "people, pets, places and things that your messages tell of, and what you said"
    " of them",
    "episodes": "what your direct chats were about, stretch by stretch, with summaries",
    "open_loops": "what was promised, asked or dated and is not settled",
    "notes": "what was written down about you by hand; `forgotten_at`: it counts no more",
    "corrections": "facts of you that were stated or taken back by hand",
    "marks": "facts of you that were pinned, or kept from use, by hand",
    "rules": "what is never kept of you, or kept something of yours out",
    "turns": "how your messages were answered, or why not. `receipt`: what an answer was based on;"
    " `deliveries`: when it was sent",
    "policies": "how the agent was told to behave in your direct chats, and whether it was told"
    " elsewhere to answer you, or not to",
    "pauses": "when the agent kept out of your direct chats",
    "audit": "what checks and commands decided in your direct chats and about your messages",
    "imports": "exported chats that were taken in for you",
    "waiting_changes": "edits and withdrawals of messages that never came",
}
"""The files with a line for each thing, and what each is. `person.json` is an object."""

DERIVED: Final[tuple[ProjectionName, ...]] = (
    "facts",
    "entities",
    "open_loops",
    "episodes",
    "contact_states",
    "uses",
)
"""What of it follows the ledger a moment behind."""

_ABOUT: Final = """\
Everything that is kept of {name} ({contact}), as of {at}.

Files that end in .jsonl have a JSON object in each line, in UTF-8: any text editor opens them, and
any program can load them. Times say their zone. `uid` is a message's own number, by which the other
files name it.

person.json
    who you are here: ids, names, what you are like by what you wrote, and which groups you may be
    reminded of
{files}

What is not in here
- What other people said, in groups or in private, also where they spoke of you; answers to you in
  groups; summaries of groups and imported chats; words of others that a message of yours quotes.
- Vectors and search words: they are computed from the texts in here, and from nothing else.
- Copies that are kept for a moment while an answer is written, and figures that are about nobody.
"""


class UnknownContact(RecollectError):
    """Nothing is kept of this person."""


async def export(
    memory: Memory, tenant: str, contact_id: str, now: datetime, timezone: str
) -> AsyncGenerator[bytes]:
    """Yield a zip of all that is kept of a person, in pieces; a page of it is held at a time.

    `timezone`: that of days where the person's own is not known. What comes in meanwhile may be
    there or not.

    Raises:
        UnknownContact: nothing is kept of them; before the first piece.
        StoreUnavailable: a store does not answer.
    """
    if not await memory.exports.is_known(tenant, contact_id):
        raise unknown(contact_id)
    zone = await zone_for(memory, tenant, contact_id, timezone)
    async with aclosing(zipped(_pieces(memory, tenant, contact_id, now, zone), now)) as made:
        async for piece in made:
            yield piece


def unknown(contact_id: str) -> UnknownContact:
    """Return the error that says in one line that nothing is kept of a person."""
    return UnknownContact(f"nothing is kept of {contact_id}: see `recollect contacts list`")


def file_name(contact_id: str, day: date) -> str:
    """Return a name for a person's export that every system can store."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "-" for c in contact_id)
    return f"recollect-{plain.strip('-.')[:80] or 'contact'}-{day.isoformat()}.zip"


async def _pieces(
    memory: Memory, tenant: str, contact_id: str, now: datetime, zone: tzinfo
) -> AsyncGenerator[tuple[str, bytes]]:
    counts = {}
    for name in FILES:
        counts[name] = 0
        yield f"{name}.jsonl", b""
        async with aclosing(_rows(memory, tenant, contact_id, name, zone)) as pages:
            async for rows in pages:
                counts[name] += len(rows)
                yield f"{name}.jsonl", b"".join(_line(row) for row in rows)
    person = await _person(memory, tenant, contact_id, now)
    yield "person.json", json.dumps(person, ensure_ascii=False, indent=2, default=_plain).encode()
    files = "\n".join(
        f"{name}.jsonl ({counts[name]:,} lines)\n    {_wrapped(what)}"
        for name, what in FILES.items()
    )
    about = _ABOUT.format(
        name=person["name"] or contact_id, contact=contact_id, at=now.isoformat(), files=files
    )
    yield "README.txt", about.encode("utf-8", "replace")


async def _rows(
    memory: Memory, tenant: str, contact_id: str, name: FileName, zone: tzinfo
) -> AsyncGenerator[Sequence[Row]]:
    """Yield the lines of a file, a page at a time."""
    if name == "facts":
        facts = map(asdict, await memory.all_facts.rows(tenant, contact_id))
        yield [{key: each[key] for key in each if key != "tenant"} for each in facts]
    elif name == "entities":
        yield [asdict(each) for each in await memory.entities.of(tenant, contact_id)]
    else:
        async with aclosing(memory.exports.rows(tenant, contact_id, name)) as pages:
            async for rows in pages:
                yield [_said(row, zone) for row in rows] if name == "messages" else rows


def _said(row: Row, zone: tzinfo) -> Row:
    """Return a message's line: first what people look for, then what is kept beside it."""
    content, said = row["content"], row["said"]
    at = datetime.fromisoformat(row["created_at"]).astimezone(zone)
    first = {
        "day": at.date().isoformat(),
        "chat": row["chat"],
        "author": row["author"],
        "text": content if said is None else said,
    }
    rest = {key: value for key, value in row.items() if key not in ("content", "said", *first)}
    return first | rest | ({} if said is None else {"text_left": content})


async def _person(
    memory: Memory, tenant: str, contact_id: str, now: datetime
) -> dict[str, Any]:  # Any: a JSON object
    row = (await memory.contact_states.of(tenant, [contact_id])).get(contact_id)
    kept: dict[ExportPart, list[Row]] = {}
    parts: tuple[ExportPart, ...] = ("contact_states", "identities", "audiences")
    for part in parts:
        kept[part] = []
        async for rows in memory.exports.rows(tenant, contact_id, part):
            kept[part] += rows
    zone = (zone_of(row.zone) if row else None) or UTC
    return {
        "contact_id": contact_id,
        "name": row.name if row else "",
        "now": asdict(state_of(row.course if row else None, now, zone)),
        "kept": kept["contact_states"],
        "ids": kept["identities"],
        "may_be_reminded_of": [each["anchor"] for each in kept["audiences"]],
    }


def _line(row: Row) -> bytes:
    # A lone surrogate cannot be in the ledger; one of a fact store would break the file.
    return json.dumps(row, ensure_ascii=False, default=_plain).encode("utf-8", "replace") + b"\n"


def _plain(value: object) -> object:
    """Return a value of the stores as JSON has it."""
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(type(value).__name__)


def _wrapped(text: str) -> str:
    return "\n    ".join(wrap(text, 92))
