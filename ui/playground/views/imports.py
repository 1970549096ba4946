"""The import: an exported chat is dropped, a few things are asked, and it goes on by itself."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, cast

import gradio as gr
from gradio.components import Component

from channels.exports.errors import ExportError, UndecidedDates
from channels.exports.export import DateOrder, Export
from channels.exports.files import sha256_of
from graph.agent import Agent
from graph.importing.background import BackgroundImports, ImportBusy, Order
from graph.importing.mapping import chat_of_anchor, speakers
from graph.importing.reading import read_export, told_speaker
from memory.domain.chats import Actor
from memory.domain.imports import ImportState
from memory.errors import RecollectError
from memory.text.zones import zone_of
from ui.local_time import local_zone
from ui.playground import render
from ui.playground.parts import card
from ui.playground.people import LOCAL
from ui.playground.sentences import sentence_of
from ui.playground.views.imports_html import Brought, brought_html, counted, progress_html

NOBODY = "\x00nobody"
LISTED = 30
"""Imports, and speakers to choose from."""
SAMPLE = 300
"""Messages of a chat among which people are looked for to be listed."""
PEOPLE = 8

_ORDERS = [("Day first: 3/12 is 3 December", "dmy"), ("Month first: 3/12 is 12 March", "mdy")]

Shown = list[Any]  # Any: one value for each component that is shown anew, in their order


class Imports:
    """Importing for the person who is chosen, where they talk here; else for the owner."""

    name = "import"
    title = "Import"

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._running = BackgroundImports(agent.stores)

    def draw(self, contact: gr.State) -> list[Component]:
        """Put the file's place, the questions and the past on the page; `show` fills the rest."""
        with gr.Row(equal_height=False):
            with gr.Column(scale=3, min_width=300):
                file = gr.File(
                    label="Drop a chat here: WhatsApp's .txt or .zip, Telegram's result.json",
                    height=190,
                    elem_id="rc-file",
                    elem_classes="rc-drop",
                )
                told = gr.HTML(elem_id="rc-import-told")
                order = gr.Radio(
                    _ORDERS,
                    label="How does it write dates?",
                    visible=False,
                    elem_classes="rc-asked",
                )
                who = gr.Radio(
                    [], label="Who of them are you?", visible=False, elem_classes="rc-asked"
                )
                zone = gr.Textbox(
                    local_zone()[0],
                    label="Time zone of its times",
                    visible=False,
                    max_lines=1,
                    elem_classes="rc-asked",
                )
                with gr.Row():
                    start = gr.Button(
                        "Import", variant="primary", visible=False, elem_classes="rc-imports-do"
                    )
                    stop = gr.Button("Stop", visible=False, elem_classes="rc-imports-do")
            with gr.Column(scale=2, min_width=300):
                past = card("Past imports", "rc-imports")
        timer, path, copy = gr.Timer(1.0, active=False), gr.State(""), gr.State("")
        asked = [told, order, who, start, zone, path]
        state: Any = [told, past, start, stop, timer, order, who, zone]
        quiet: dict[str, Any] = {"show_progress": "hidden"}  # Any: options of Gradio's events
        file.upload(self.dropped, [file, zone, copy], [*asked, copy])
        order.input(self.look, [path, order, zone], asked)
        zone.submit(self.look, [path, order, zone], asked)
        file.clear(self.cleared, [copy], [*asked, copy], **quiet)
        start.click(self.start, [contact, path, order, who, zone], state, **quiet)
        stop.click(self.stop, [path], state, **quiet)
        timer.tick(self.state, [path], state, **quiet)
        return [told, past, stop, timer]

    async def show(self, contact_id: str) -> Shown:
        """Return how the import that is under way goes on, and those of the past."""
        del contact_id
        told, past, _, stop, timer, *_ = await self.state("")
        return [told, past, stop, timer]

    async def dropped(self, file: str | None, zone: str, copy: str) -> Shown:
        """Look at a file that was dropped. Outputs: those of `look`, and the copy that it is.

        `copy`: that of the file which was dropped before; it goes.
        """
        if copy != file:
            await self._remove(copy)
        return [*await self.look(file or "", None, zone), file or ""]

    async def look(self, file: str, order: str | None, zone: str) -> Shown:
        """Read a file, and ask what it leaves open.

        A file that cannot be imported is removed: it is the copy that the browser sent.

        Outputs: told, order, who, start, zone, the file's path.
        """
        if not file:
            return ["", *_hidden()]
        path, chosen = Path(file), cast("DateOrder | None", order)
        named = zone_of(zone)
        if named is None:
            return [_notice(f"{zone}: no such time zone; one looks like Europe/Berlin."), *_kept()]
        try:
            digest = await asyncio.to_thread(sha256_of, path)
            stores = self._agent.stores
            known = await stores.memory.imports.find(stores.settings.tenant, digest)
            if known is not None and known.finished_at is not None:
                await asyncio.to_thread(path.unlink, missing_ok=True)
                return [_notice(_repeated(known)), *_hidden()]
            export, _ = await asyncio.to_thread(read_export, path, None, chosen, zone, named)
        except UndecidedDates:
            asks = "It leaves open whether its dates begin with the day or the month: say which."
            return [_notice(asks), gr.update(visible=True), *_hidden()[1:4], file]
        except ExportError as error:
            await asyncio.to_thread(path.unlink, missing_ok=True)
            return [_notice(str(error).replace(str(path), path.name)), *_hidden()]
        except RecollectError as error:
            return [_notice(sentence_of(error).replace(str(path), path.name)), *_hidden()]
        return self._asked(export, known, chosen)

    def _asked(self, export: Export, known: ImportState | None, order: DateOrder | None) -> Shown:
        everybody = speakers(export)
        choices = [(f"{each.name} ({each.messages:,})", each.name) for each in everybody[:LISTED]]
        choices.append(("None of them: I only read along", NOBODY))
        told = told_speaker(export, known)
        chosen = None if told is None else told or NOBODY
        chats = f"{len(export.chats):,} chats, " if len(export.chats) > 1 else ""
        words = (
            f"{chats}{counted(export.messages, 'message')} of"
            f" {counted(len(everybody), 'person', 'people')}."
        )
        return [
            _notice(words),
            gr.update(visible=order is not None),
            gr.update(choices=choices, value=chosen, visible=True),
            gr.update(visible=True),
            gr.update(visible=export.kind == "whatsapp"),
            str(export.path),
        ]

    async def cleared(self, copy: str) -> Shown:
        """Ask nothing any more, and remove the browser's copy. Outputs: those of `dropped`."""
        await self._remove(copy)
        return ["", *_hidden(), ""]

    async def _remove(self, copy: str) -> None:
        """Remove a copy, unless it is being imported: then it goes once it is in."""
        latest = self._running.latest
        is_read = self._running.is_running and latest is not None and str(latest.order.path) == copy
        if copy and not is_read:
            await asyncio.to_thread(Path(copy).unlink, missing_ok=True)

    async def start(
        self, contact_id: str, file: str, order: str | None, who: str | None, zone: str
    ) -> Shown:
        """Begin, or go on. Outputs: those of `state`."""
        if not file or not who:
            return [_notice("Say who of them you are first."), *[gr.skip()] * 7]
        is_local = contact_id.startswith(LOCAL)
        contact = contact_id if is_local else LOCAL + self._agent.stores.settings.contact
        speaker = "" if who == NOBODY else who
        date_order = cast("DateOrder | None", order)
        path = Path(file)
        try:
            self._running.start(
                Order(path, contact.removeprefix(LOCAL), speaker, zone, date_order, is_copy=True)
            )
        except ImportBusy as error:
            return [_notice(str(error)), *[gr.skip()] * 7]
        return await self.state(file)

    async def stop(self, file: str) -> Shown:
        """Stop the import that is under way. Outputs: those of `state`."""
        await self._running.stop()
        return await self.state(file)

    async def state(self, file: str) -> Shown:
        """Return how it goes on. Outputs: told, past imports, start, stop, timer, the questions.

        What was asked of a file that is imported is asked no more.
        """
        is_running = self._running.is_running
        try:
            past: Any = brought_html(await self._past()) if not is_running else gr.skip()
        except RecollectError as error:
            past = render.notice_html(sentence_of(error))
        latest = self._running.latest
        is_over = latest is not None and latest.done is not None and not is_running
        question = gr.update(visible=False) if file and is_over else gr.skip()
        return [
            progress_html(latest, is_running=is_running),
            past,
            gr.update(visible=bool(file) and not is_running and not is_over),
            gr.update(visible=is_running),
            gr.Timer(active=is_running),
            *[question] * 3,
        ]

    async def _past(self) -> list[Brought]:
        stores = self._agent.stores
        tenant, imports = stores.settings.tenant, stores.memory.imports
        listing = (await imports.listing(tenant))[:LISTED]
        return [
            Brought(each, await imports.extent(tenant, each.import_id), await self._people(each))
            for each in listing
        ]

    async def _people(self, state: ImportState) -> dict[str, str]:
        stores = self._agent.stores
        people: dict[str, str] = {}
        for anchor in state.anchors[:PEOPLE]:
            chat = chat_of_anchor(stores.settings.tenant, anchor)
            for each in await stores.memory.ledger.since(chat, 0, SAMPLE):
                said = each.message
                if said.actor is Actor.CONTACT and len(people) < PEOPLE:
                    people.setdefault(said.contact_id, said.sender_name)
        return people


def _notice(text: str) -> str:
    return f"<div class='rc-progress' role='status'>{render.text_html(text)}</div>"


def _repeated(known: ImportState) -> str:
    return f"This file was imported on {known.began_at:%-d %b %Y}: nothing to add."


def _hidden() -> Shown:
    # Order, who, start, zone, path: a choice made for another file is none for the next.
    chosen = gr.update(value=None, visible=False)
    return [chosen, chosen, gr.update(visible=False), gr.update(visible=False), ""]


def _kept() -> Shown:
    return [gr.skip()] * 5
