"""`recollect import`: an exported chat becomes memory, with progress, and goes on where it stopped.

The file is read once before anything is written, so that one that cannot be used changes nothing.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from channels.exports.errors import ExportError, UndecidedDates
from channels.exports.export import DateOrder, Export, ExportKind
from channels.exports.files import sha256_of
from graph.bootstrap import open_stores
from graph.importing.chats import ImportInterrupted, OtherChoice, check_choice, import_chats
from graph.importing.mapping import (
    Owner,
    Speaker,
    UnknownSpeaker,
    chat_of_anchor,
    find_speaker,
    listed,
    speakers,
)
from graph.importing.reading import read_export, told_speaker
from graph.importing.topics import example_question
from graph.settings import Settings
from graph.stores import Stores
from memory.domain.imports import ImportState
from memory.recall.passages import MAX_PASSAGE_CHARS
from ui.cli.import_screen import ImportScreen, asked_number, period
from ui.cli.outcome import INTERRUPTED
from ui.cli.terminal import printable
from ui.local_time import UnknownZone, local_zone, zone_named

UNUSABLE = 2
NOBODY = "nobody"
SHOWN_SPEAKERS = 30
SAMPLE_MESSAGES = 300

_KINDS = {"whatsapp": "WhatsApp", "telegram": "Telegram", "jsonl": "JSONL"}


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What was typed: the file and how to read it. None: not given."""

    path: Path
    kind: ExportKind | None = None
    speaker: str | None = None
    date_order: DateOrder | None = None
    timezone: str | None = None


def run_import(settings: Settings, request: ImportRequest) -> int:
    """Import a file; return the exit status: 0, 2 for a file or choice that cannot be used.

    1 when a store stopped answering, 130 after Ctrl-C; both can go on later.

    Raises:
        RecollectError: a store cannot be opened.
    """
    screen = ImportScreen()
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        try:
            digest = sha256_of(request.path)
            stores = runner.run(stack.enter_async_context(open_stores(settings)))
            # A finished file is known by its hash: a million lines need not be read for that.
            state = runner.run(stores.memory.imports.find(settings.tenant, digest))
            if state is not None and state.finished_at is not None:
                check_choice(state, _owner(settings, request, state), state.reading)
                screen.begun(state)
            else:
                export, reading = _read(request, screen)
                owner = Owner(
                    settings.tenant, settings.contact, _speaker(export, request, state, screen)
                )
                screen.title(_title(export))
                with screen:
                    state = runner.run(import_chats(stores, export, owner, reading, screen))
            runner.run(_conclude(stores, state, screen))
        except (ExportError, UnknownSpeaker, UnknownZone, OtherChoice) as error:
            return _complain(str(error), UNUSABLE)
        except ImportInterrupted as error:
            return _complain(f"{error}. {_how_on(screen)}", 1)
        except (KeyboardInterrupt, asyncio.CancelledError):
            return _complain(f"Stopped. {_how_on(screen)}", INTERRUPTED)
        finally:
            runner.run(stack.aclose())
    return 0


def _read(request: ImportRequest, screen: ImportScreen) -> tuple[Export, str]:
    """Return the export and, in words, the options that it was read with."""
    path, order = request.path, request.date_order
    name, zone = zone_named(request.timezone) if request.timezone else local_zone()

    def opened() -> tuple[Export, str]:
        with screen.reading(path.name):
            return read_export(path, request.kind, order, name, zone)

    try:
        return opened()
    except UndecidedDates:
        if order is not None or not screen.can_ask:
            raise
        choice = asked_number(
            "Are its dates day/month or month/day?", ["3/12 is 3 December", "3/12 is 12 March"]
        )
        order = "dmy" if choice == 0 else "mdy"
        return opened()


def _speaker(
    export: Export, request: ImportRequest, known: ImportState | None, screen: ImportScreen
) -> str:
    """Return who of the speakers the memory's person is; empty for none of them."""
    if request.speaker is not None:
        if request.speaker.strip().casefold() == NOBODY:
            return ""
        return find_speaker(export, request.speaker)
    told = told_speaker(export, known)
    if told is not None:
        if known is None:
            screen.note(f"You are {told}, as the export says.")
        return told
    if not screen.can_ask:
        raise UnknownSpeaker(f"Say who of them you are, by --me NAME. {listed(speakers(export))}")
    return _asked(speakers(export), screen)


def _asked(known: list[Speaker], screen: ImportScreen) -> str:
    shown = known[:SHOWN_SPEAKERS]
    lines = [f"{printable(each.name)}  ({each.messages:,} messages)" for each in shown]
    if len(known) > len(shown):
        screen.note(f"(--me NAME chooses one of the other {len(known) - len(shown):,})")
    number = asked_number("Who of them are you?", [*lines, "none of them: I only read along"])
    return shown[number].name if number < len(shown) else ""


def _owner(settings: Settings, request: ImportRequest, state: ImportState) -> Owner:
    """Return whose a finished import is to be, by what was typed; what was not, is as it was."""
    typed = state.speaker if request.speaker is None else request.speaker.strip()
    is_same = typed.casefold() in (state.speaker.casefold(), "" if state.speaker else NOBODY)
    return Owner(settings.tenant, settings.contact, state.speaker if is_same else typed)


async def _conclude(stores: Stores, state: ImportState, screen: ImportScreen) -> None:
    """Say what came of it, and what can be asked now."""
    extent = await stores.memory.imports.extent(stores.settings.tenant, state.import_id)
    messages = _counted(state.total, "message")
    if screen.is_repeat and state.finished_at:
        when = f"{state.finished_at.astimezone():%Y-%m-%d %H:%M}"
        screen.say(f"This file was imported on {when}: nothing to add.")
    else:
        screen.say("Imported, and searchable:")
        messages = f"{messages}, {state.new:,} of them new"
    parts = [
        messages,
        f"{_counted(state.facts, 'fact')} learned",
        _counted(extent.people, "person", "people"),
        period(extent.first, extent.last),
        "" if screen.is_repeat else f"{screen.per_second:,.0f} messages/s",
    ]
    screen.say("  " + " · ".join(part for part in parts if part))
    if extent.long:
        what = "message has" if extent.long == 1 else "messages have"
        screen.say(
            f"  {extent.long:,} {what} more than {MAX_PASSAGE_CHARS:,} characters: search finds any"
            " part, and an answer is given from the part that has most of a question's words."
        )
    chat = chat_of_anchor(stores.settings.tenant, state.anchors[0])
    latest = await stores.memory.ledger.since(chat, 0, SAMPLE_MESSAGES)
    question = example_question([stored.message for stored in latest], state.contact_id)
    for line in next_steps(stores.settings, question):
        screen.say(line)


def next_steps(settings: Settings, question: str) -> list[str]:
    """Return what to type next, with an example to ask."""
    tenant = f"RECOLLECT_TENANT={settings.tenant} " if settings.tenant != "default" else ""
    contact = f" --contact {settings.contact}" if settings.contact != "me" else ""
    ask = f"    e.g. {printable(question)}" if question else ""
    return [
        "Now ask about it, in the terminal or in the browser:",
        f"  {tenant}recollect chat{contact}{ask}",
        f"  {tenant}recollect ui",
    ]


def _title(export: Export) -> str:
    source = _KINDS[export.kind]
    if len(export.chats) == 1:
        return f"{source}: {printable(export.chats[0].title)}"
    return f"{source}: {len(export.chats):,} chats"


def _how_on(screen: ImportScreen) -> str:
    if not screen.total:
        return "Nothing more was imported; the same command starts again."
    kept = f"{screen.position:,} of {screen.total:,} messages are kept"
    return f"{kept}; the same command goes on there."


def _counted(number: int, noun: str, plural: str = "") -> str:
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def _complain(line: str, status: int) -> int:
    sys.stderr.write(f"recollect: {printable(line)}\n")
    return status
