"""Draw half a year of a made-up contact: `python -m scripts.contact_half_year [OUT.svg]`.

Her messages go through the product's import, on stores of their own; what is drawn is what it says
of her at ten each evening, in her time zone. docs/contacts.md explains each change.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from graph.settings import Settings
from memory.contacts.course import advance
from memory.contacts.state import state_of
from memory.domain.chats import Actor, ChatRef, Message
from memory.domain.contacts import Course, Stage, State
from memory.ports.contact_states import KeptMark

OUT: Final = Path("docs/images/contact-half-year.svg")
ZONE: Final = "Europe/Berlin"
FIRST: Final = date(2026, 1, 1)
DAYS: Final = 181
EVENING: Final = time(22, 0)
CONTACT: Final = "crm:mira"

PLAIN: Final = (
    "Good morning! The bus was late again.",
    "I had lunch with Jonas at the market.",
    "The plants are watered and the post is in.",
    "We watched the match at home.",
    "I finished the second chapter of the book.",
)
ANXIOUS: Final = (
    "I am so nervous about the interview.",
    "I'm worried that I will forget everything, I'm afraid of it.",
    "I can't sleep, I am really anxious.",
)
EXCITED: Final = ("I got the job!!! I am so happy!", "This is amazing, I can't wait to start!!!")
FRUSTRATED: Final = (
    "The landlord did nothing again, this is so annoying.",
    "I am really angry about this flat!!!",
    "I hate this, it is the third time it broke!",
)
SAD: Final = ("I'm back. My grandma died, I am so sad.", "I miss her so much...")


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of days, from its first to its last, each so many days apart."""

    begins: date
    ends: date
    apart: int
    texts: tuple[str, ...]
    name: str


PHASES: Final = (
    Phase(date(2026, 1, 1), date(2026, 2, 9), 1, PLAIN, "writes daily"),
    Phase(date(2026, 2, 16), date(2026, 3, 8), 1, PLAIN, "after a week away"),
    Phase(date(2026, 3, 9), date(2026, 3, 15), 1, ANXIOUS, "an interview ahead"),
    Phase(date(2026, 3, 16), date(2026, 3, 18), 1, EXCITED, "got the job"),
    Phase(date(2026, 3, 19), date(2026, 4, 12), 1, PLAIN, "daily again"),
    Phase(date(2026, 4, 14), date(2026, 4, 28), 2, FRUSTRATED, "trouble with the flat"),
    Phase(date(2026, 6, 10), date(2026, 6, 14), 1, SAD, "back after six weeks"),
    Phase(date(2026, 6, 15), date(2026, 6, 28), 1, PLAIN, "daily again"),
)


class Day(NamedTuple):
    """What she is like on the evening of a day."""

    day: date
    state: State


def half_year(tenant: str) -> list[Message]:
    """Return her messages: two on each of her days, at nine and at six in the evening."""
    zone = ZoneInfo(ZONE)
    said = []
    for phase in PHASES:
        for number in range(0, (phase.ends - phase.begins).days + 1, phase.apart):
            for at in (9, 18):
                day = phase.begins + timedelta(days=number)
                text = phase.texts[(number // phase.apart + at) % len(phase.texts)]
                when = datetime.combine(day, time(at, 5), zone).astimezone(UTC)
                said.append((when, text))
    chat = ChatRef(tenant, "api", "ingest", "mira")
    return [
        Message(
            chat=chat,
            message_id=f"m{number}",
            actor=Actor.CONTACT,
            sender_id=CONTACT,
            sender_name="Mira",
            contact_id=CONTACT,
            text=text,
            sent_at=when,
        )
        for number, (when, text) in enumerate(said)
    ]


def evenings(kept: Sequence[KeptMark]) -> list[Day]:
    """Return what marks in the order of time come to on each evening."""
    zone, left = ZoneInfo(ZONE), list(kept)
    course: Course | None = None
    found: list[Day] = []
    for number in range(DAYS):
        day = FIRST + timedelta(days=number)
        now = datetime.combine(day, EVENING, zone)
        while left and left[0].marked.at <= now:
            course = advance(course, left.pop(0).marked, zone)
        found.append(Day(day, state_of(course, now.astimezone(UTC), zone)))
    return found


def turns_of(days: Sequence[Day]) -> list[tuple[date, Stage]]:
    """Return each stage with the first day on which it is told."""
    found: list[tuple[date, Stage]] = []
    for each in days:
        if not found or found[-1][1] != each.state.stage:
            found.append((each.day, each.state.stage))
    return found


async def lived(settings: Settings) -> list[Day]:
    """Let her write to stores of these settings; return her evenings."""
    from graph.bootstrap import open_stores
    from memory.projection.importing import import_batches

    async with open_stores(settings) as stores:
        await import_batches(stores.memory, stores.projector, [half_year(settings.tenant)])
        await stores.projector.caught_up("contact_states")
        pages = stores.memory.contact_states.marks_of(settings.tenant, CONTACT)
        return evenings([each async for page in pages for each in page])


def main() -> int:
    """Draw it."""
    from scripts.contact_plot import drawn

    out = Path(sys.argv[1]) if len(sys.argv) > 1 else OUT
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # as root the embedded Postgres runs as nobody
        days = asyncio.run(lived(Settings(data_dir=Path(folder), timezone=ZONE)))
    out.write_text(drawn(days, PHASES), encoding="utf-8")
    for day, stage in turns_of(days):
        sys.stdout.write(f"{day}  {stage}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
