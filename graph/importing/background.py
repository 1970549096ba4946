"""Imports that go on in a process, whoever looks at them: one at a time, stopped and taken up."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from pathlib import Path

from channels.exports.errors import ExportError
from channels.exports.export import DateOrder
from graph.importing.chats import ImportInterrupted, OtherChoice, import_chats
from graph.importing.mapping import Owner
from graph.importing.reading import read_export
from graph.stores import Stores
from memory.domain.imports import ImportState
from memory.errors import RecollectError
from memory.text.zones import zone_of


class ImportBusy(RecollectError):
    """Another import is under way; it has to end, or be stopped, first."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be imported, and how it is read; `speaker` is empty for somebody who read along.

    `zone` names the time zone of times that name none. A file that `is_copy` goes once it is in.
    """

    path: Path
    contact: str
    speaker: str
    zone: str
    date_order: DateOrder | None = None
    is_copy: bool = False


@dataclass(slots=True)
class Progress:
    """How an import goes on: `graph.importing.chats.Watcher`.

    `total` is 0 while the file is read. `goes_on_with`: the chat that was there before, and its
    file. `note`: what is waited for. `error`: why it ended early.
    """

    order: Order
    total: int = 0
    position: int = 0
    goes_on_with: str = ""
    note: str = ""
    error: str = ""
    was_stopped: bool = False
    done: ImportState | None = None
    _began: float = field(default_factory=time.monotonic)
    _start: int = 0

    @property
    def per_second(self) -> float:
        """Messages a second since it began."""
        return (self.position - self._start) / max(time.monotonic() - self._began, 1e-3)

    def begun(self, state: ImportState) -> None:
        """Start, or go on after `state.position` messages."""
        self.position = self._start = state.position
        self.total = state.total
        self._began = time.monotonic()

    def moved(self, position: int) -> None:
        """So many messages are recorded and searchable."""
        self.position, self.note = position, ""

    def joined(self, chat: str, file_name: str) -> None:
        """It goes on with a chat that was imported before."""
        self.goes_on_with = f"the chat “{chat}”, imported from {file_name}"

    def waiting(self, reason: str, pause_s: float) -> None:
        """Something does not answer."""
        self.note = f"{reason}: trying again in {pause_s:.0f} s."


class BackgroundImports:
    """The import of a process that is under way, or was the last one.

    It ends with the process; what it kept is found again when the same file is given once more.
    """

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._task: asyncio.Task[None] | None = None
        self.latest: Progress | None = None

    @property
    def is_running(self) -> bool:
        """Whether an import is under way."""
        return self._task is not None and not self._task.done()

    def start(self, order: Order) -> None:
        """Begin an import, or take it up where it was stopped.

        Raises:
            ImportBusy: another one is under way.
        """
        if self.is_running:
            raise ImportBusy
        self.latest = Progress(order)
        self._task = asyncio.create_task(self._run(self.latest))

    async def stop(self) -> None:
        """End the import that is under way, if there is one; what it kept stays."""
        task, latest = self._task, self.latest
        if task is None or latest is None or task.done():
            return
        latest.was_stopped = True
        task.cancel()
        await asyncio.wait([task])

    async def _run(self, progress: Progress) -> None:
        order, settings = progress.order, self._stores.settings
        try:
            zone = zone_of(order.zone)
            if zone is None:
                raise ExportError(f"{order.zone}: no such time zone; one looks like Europe/Berlin.")
            export, reading = await asyncio.to_thread(
                read_export, order.path, None, order.date_order, order.zone, zone
            )
            owner = Owner(settings.tenant, order.contact, order.speaker)
            progress.done = await import_chats(self._stores, export, owner, reading, progress)
            if order.is_copy:
                order.path.unlink(missing_ok=True)
        except OtherChoice as error:
            progress.error = str(error)
        except ImportInterrupted as error:
            progress.error = f"{error}. What was imported is kept."
        except RecollectError as error:
            # A file is named by its place on the disk, which is none of the person's.
            progress.error = str(error).replace(str(order.path), order.path.name)
        # The outer loop of an import: whatever goes wrong with it, the process goes on.
        except Exception as error:  # noqa: BLE001
            progress.error = f"Something broke ({type(error).__name__}). What was imported is kept."
