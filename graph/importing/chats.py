"""Imports exported chats: resumable, each message once, at constant memory, without a single reply.

How far it has come is noted after a batch is recorded and searchable. A killed process leaves at
most the batches under way, which others take in, and which are recorded again to no effect.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol

from channels.exports.export import Entry, Export, ExportKind
from graph.importing.mapping import Owner, chat_of, chat_of_anchor, to_message
from graph.importing.overlap import known_anchor
from graph.stores import Stores
from memory.domain.chats import ChatRef, Message
from memory.domain.imports import ImportPlan, ImportState
from memory.domain.projections import ANCHOR, CONTACT
from memory.errors import ImportErased, RecollectError, Transient, reason_of
from memory.projection.importing import import_each

BATCH_MESSAGES = 256
BATCH_CHARS = 2**22
"""A batch ends with the text that makes it longer: it is one statement, and fills the memory."""
PAUSES_S = (1.0, 2.0, 4.0, 8.0)
"""How long to wait for a store or an embedder that does not answer, one pause after the other."""

_OR_ANOTHER: Mapping[ExportKind, str] = {
    "whatsapp": "; if it is another chat, name the file after it",
    "telegram": "",
    "jsonl": "; if it is another chat, give its lines another “chat” id",
}
"""What to do about a chat that only seems to be known. Telegram's have ids of their own."""


class ImportInterrupted(Transient):
    """A store or the embedder does not answer; what was imported is kept."""


class OtherChoice(RecollectError):
    """The file was imported with other choices before."""


class Watcher(Protocol):
    """Whoever is told how an import goes on."""

    def begun(self, state: ImportState) -> None:
        """It starts, or goes on after `state.position` entries."""
        ...

    def moved(self, position: int) -> None:
        """So many entries of the file are recorded and searchable."""
        ...

    def joined(self, chat: str, file_name: str) -> None:
        """It goes on with a chat that was imported from a file before."""
        ...

    def waiting(self, reason: str, pause_s: float) -> None:
        """Something does not answer; the next try is after a pause."""
        ...


@dataclass(frozen=True, slots=True)
class _Import:
    stores: Stores
    export: Export
    owner: Owner
    chats: dict[str, tuple[ChatRef, str]]
    """Chat and anchor by the key of the chat in the export."""
    source: str
    speakers: set[str] = field(default_factory=set)
    """Contacts of whom something was taken in."""


async def import_chats(
    stores: Stores, export: Export, owner: Owner, reading: str, watcher: Watcher
) -> ImportState:
    """Import an export, or what is missing of it; return how it ended.

    `reading` names the options that the export was read with: they decide what its entries are.

    Raises:
        OtherChoice: the file was begun, or imported, for somebody else or read differently.
        ImportInterrupted: a store or the embedder did not answer for long.
        ExportError: the file cannot be read any more.
        ImportErased: what it holds was erased with its person, before or meanwhile.
    """
    chats, known_from = await _chats(stores, export, owner)
    plan = ImportPlan(
        tenant=owner.tenant,
        digest=export.sha256,
        kind=export.kind,
        file_name=export.path.name,
        reading=reading,
        contact_id=owner.contact_id,
        speaker=owner.speaker,
        chats=tuple(chats.values()),
        total=export.messages,
    )
    work = _Import(stores, export, owner, chats, plan.source)
    await _check_chats(work)
    state = await stores.memory.imports.begin(plan)
    check_choice(state, owner, reading)
    if known_from:
        ((chat, _),) = chats.values()
        watcher.joined(chat.chat_id, known_from)
    watcher.begun(state)
    if state.finished_at is None:
        try:
            state = await _persist(work, state, watcher)
        except ImportErased:
            await _owe_rest(work)
            raise
    return state


async def _chats(
    stores: Stores, export: Export, owner: Owner
) -> tuple[dict[str, tuple[ChatRef, str]], str]:
    """Return the ledger's chats by the keys of the export's.

    Beside them the file that the only one was imported from before; empty for a new chat, and
    where this file was begun before.
    """
    chats = {chat.key: chat_of(owner.tenant, export.kind, chat) for chat in export.chats}
    if len(chats) > 1:
        return chats, ""
    ((key, (_, anchor)),) = chats.items()
    imports = stores.memory.imports
    begun = await imports.find(owner.tenant, export.sha256)
    if begun is not None:
        anchor = begun.anchors[0]
        return {key: (chat_of_anchor(owner.tenant, anchor), anchor)}, ""
    files = {
        each: state.file_name
        for state in reversed(await imports.listing(owner.tenant))
        for each in state.anchors
    }
    if anchor not in files and export.kind == "whatsapp":
        anchor = await known_anchor(stores, export, owner) or anchor
    return {key: (chat_of_anchor(owner.tenant, anchor), anchor)}, files.get(anchor, "")


async def _owe_rest(work: _Import) -> None:
    """Have looked after once more what was being derived when it was erased."""
    backlog, tenant = work.stores.memory.backlog, work.owner.tenant
    anchors = [ANCHOR + anchor for _, anchor in work.chats.values()]
    await backlog.owe(tenant, ("vectors", "episode_vectors"), anchors)
    await backlog.owe(tenant, ("facts",), [CONTACT + each for each in sorted(work.speakers)])


async def _check_chats(work: _Import) -> None:
    """Refuse a chat that is somebody else's memory: it would be heard by both."""
    anchors = {anchor for _, anchor in work.chats.values()}
    for other in await work.stores.memory.imports.listing(work.owner.tenant):
        if other.contact_id != work.owner.contact_id and anchors & set(other.anchors):
            contact = other.contact_id.partition(":")[2]
            raise OtherChoice(
                f"This chat was imported from {other.file_name} with --contact '{contact}':"
                f" repeat it so{_OR_ANOTHER[work.export.kind]}."
            )


def check_choice(state: ImportState, owner: Owner, reading: str) -> None:
    """Refuse another choice than the one that a file was begun with.

    Raises:
        OtherChoice: it was for another contact or speaker, or is half imported and read otherwise.
    """
    done = "was imported" if state.finished_at else "is half imported"
    if (state.contact_id, state.speaker) != (owner.contact_id, owner.speaker):
        name = f"--me '{state.speaker}'" if state.speaker else "--me nobody"
        contact = state.contact_id.partition(":")[2]
        raise OtherChoice(f"This file {done} with {name} --contact '{contact}': repeat it so.")
    if state.finished_at is None and state.reading != reading:
        raise OtherChoice(f"This file {done} with {state.reading}: repeat it so.")


async def _persist(work: _Import, state: ImportState, watcher: Watcher) -> ImportState:
    """Take the rest in, trying again after outages as long as there is progress in between."""
    tried = 0
    while True:
        before = state.position
        try:
            await _take_rest(work, state, watcher)
            await work.stores.projector.caught_up()
            await work.stores.memory.imports.finish(work.owner.tenant, state.import_id)
            return await _current(work, state)
        except Transient as error:
            tried += 1
            if tried > len(PAUSES_S):
                raise ImportInterrupted(reason_of(error)) from error
            watcher.waiting(reason_of(error), PAUSES_S[tried - 1])
            await asyncio.sleep(PAUSES_S[tried - 1])
        with suppress(Transient):
            state = await _current(work, state)
        if state.position > before:
            tried = 0


async def _current(work: _Import, state: ImportState) -> ImportState:
    found = await work.stores.memory.imports.find(work.owner.tenant, work.export.sha256)
    return found or state


async def _take_rest(work: _Import, state: ImportState, watcher: Watcher) -> None:
    stores, position = work.stores, state.position
    async with (
        aclosing(_batches(work, state)) as batches,
        aclosing(import_each(stores.memory, stores.projector, batches, work.source)) as taken,
    ):
        async for batch in taken:
            position += batch.messages
            await stores.memory.imports.advance(
                work.owner.tenant, state.import_id, position, batch.facts
            )
            watcher.moved(position)


async def _batches(work: _Import, state: ImportState) -> AsyncGenerator[list[Message]]:
    """Yield the entries after the position as messages."""
    entries = work.export.entries()
    # A file of a million lines is parsed in a thread: the loop has stores to talk to.
    await asyncio.to_thread(_skip, entries, state.position)
    while batch := await asyncio.to_thread(_next, entries):
        said = [to_message(entry, work.chats[entry.chat][0], work.owner) for entry in batch]
        work.speakers.update(message.contact_id for message in said if message.contact_id)
        yield said


def _skip(entries: Iterator[Entry], count: int) -> None:
    next(islice(entries, count, count), None)


def _next(entries: Iterator[Entry]) -> list[Entry]:
    batch: list[Entry] = []
    length = 0
    for entry in entries:
        batch.append(entry)
        length += len(entry.text)
        if len(batch) == BATCH_MESSAGES or length > BATCH_CHARS:
            break
    return batch
