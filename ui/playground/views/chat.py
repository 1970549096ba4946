"""The chat with a person: what is said, what an answer is based on, and the turn's path."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable
from dataclasses import replace
from typing import Any

import gradio as gr
from gradio.components import Component

from graph.agent import Agent
from memory.errors import RecollectError
from memory.facts.corrector import Corrector
from ui.playground import render
from ui.playground.conversation import Conversation, Shown
from ui.playground.parts import CONCURRENT_TURNS, card
from ui.playground.people import name_of
from ui.playground.room import Room
from ui.playground.sentences import sentence_of
from ui.playground.views import receipt_html
from ui.playground.views.chat_html import CONTROLS
from ui.playground.views.drafts import DRAFTS

LATE = "the console ended before it had it"
MOST_ASKED = 100
"""Messages that a page may ask about at once."""

_ID = re.compile(r"[0-9a-f]{32}")


class Chat:
    """Talking with the agent as somebody here; reading what others said on their channels."""

    name = "chat"
    title = "Chat"

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._conversations: dict[str, Conversation] = {}

    def draw(self, contact: gr.State) -> list[Component]:
        """Put the chat on the page. `show` fills: the conversation, the row to write in."""

        async def newest(told: dict[str, Any]) -> dict[str, Any]:  # Gradio takes no method here
            return await self.newest(str(told["contact"]), [str(each) for each in told["ids"]])

        async def say(told: dict[str, Any]) -> bool:
            contact_id, sent_as, text = (str(told[part]) for part in ("contact", "id", "text"))
            return await self.say(contact_id, sent_as, text, is_late=bool(told["late"]))

        with gr.Row(equal_height=False, elem_id="rc-talk"):
            with gr.Column(scale=3, min_width=0):
                chat = gr.HTML(
                    elem_id="rc-chat",
                    js_on_load=CONTROLS + DRAFTS,
                    server_functions=[newest, say],
                )
                with gr.Row(elem_id="rc-write") as write:
                    _box()
                    gr.Button("Send", variant="primary", scale=0, elem_id="rc-send")
                note = gr.HTML(elem_id="rc-note")
            with gr.Column(scale=2, min_width=0, elem_id="rc-side"):
                memories = card("What this answer is based on", "rc-recalled")
                more = card("More about it", "rc-more", receipt_html.CONTROLS)
                facts = card("Facts", "rc-known", render.FACT_CONTROLS)
                path = card("Path of the last turn", "rc-turn")
        shown = [chat, memories, more, facts, path]
        quiet: dict[str, Any] = {  # Any: options of Gradio's events
            "show_progress": "hidden",
            "concurrency_limit": CONCURRENT_TURNS,
        }
        often: Any = {**quiet, "trigger_mode": "multiple"}  # Any: options of Gradio's events
        watching = chat.news(self.watch, [contact], shown, **quiet)
        # What goes on with one person is not drawn over another who is chosen meanwhile.
        contact.change(None, cancels=[watching])
        chat.act(self.act, [contact], [chat], **often)
        chat.select(self.explain, [contact], [memories, more, path], **quiet)
        more.dig(self.dig, [contact], [more], **quiet)
        facts.edit(self.correct, [contact], shown, **quiet)
        facts.delete(self.forget, [contact], shown, **quiet)
        return [*shown, write, note]

    async def show(self, contact_id: str) -> Shown:
        """Return a contact's conversation, and whether one may write in it."""
        conversation = self._conversation(contact_id)
        await conversation.read()
        await conversation.go_on()
        is_here, note = conversation.write()
        return [*conversation.shown(), gr.update(visible=is_here), note]

    def room(self, contact_id: str) -> Room:
        """Return what is being said with a contact now."""
        return self._conversation(contact_id).room

    async def say(self, contact_id: str, sent_as: str, text: str, *, is_late: bool) -> bool:
        """Send what was typed, after what waits; tell whether it was taken.

        `sent_as`: the id that the page gave it, under which it can be sent again and is stored
        once. `is_late`: nobody knows what became of it, and it stands there as not sent.
        """
        conversation = self._conversation(contact_id)
        if not conversation.is_here or not text.strip() or not _ID.fullmatch(sent_as):
            return False
        # A lone surrogate can be typed, and neither stored nor sent back.
        typed = text.encode("utf-8", "replace").decode()
        message = self._agent.local_message(typed, conversation.name)
        message = replace(message, message_id=sent_as)
        if is_late:
            conversation.room.keep_back(message, LATE)
        else:
            conversation.room.post(message)
        return True

    async def watch(self, contact_id: str) -> AsyncIterator[Shown]:
        """Yield the conversation as it goes on, until nothing is on its way."""
        conversation = self._conversation(contact_id)
        room, read = conversation.room, -1
        while True:
            version = room.version
            if read != room.stored:
                read = room.stored
                await conversation.read()
                yield conversation.shown()
            else:
                yield [conversation.lines(), *[gr.skip()] * 3, conversation.path()]
            if version == room.version and not room.is_busy:
                return
            await room.news(version)

    async def newest(self, contact_id: str, ids: list[str]) -> dict[str, Any]:
        """Return the conversation's `stamp`; it is empty where the ledger does not answer.

        With it, of the ids under which a page sent something, those that are `settled`, and those
        that are `missing`: nobody has them.
        """
        conversation = self._conversation(contact_id)
        try:
            settled, missing = await conversation.became(ids[:MOST_ASKED])
            stamp = await conversation.stamp()
        except RecollectError:
            return {"stamp": "", "settled": [], "missing": []}
        return {"stamp": stamp, "settled": settled, "missing": missing}

    async def act(self, contact_id: str, event: gr.EventData) -> str:
        """Stop, try or send again, discard: what was asked for. Outputs: the conversation."""
        told: Any = event  # Any: what the page's script sends
        conversation = self._conversation(contact_id)
        room = conversation.room
        if conversation.is_here:
            match told.what:
                case "stop":
                    room.stop()
                case "again":
                    room.retry(str(told.of))
                case "anew":
                    last = conversation.answered_last()
                    if last and last.reply.turn_id == told.of:
                        room.answer_again(str(told.of), last.reply.uid)
                case "resend":
                    room.send_again()
                case "drop":
                    room.drop(str(told.of))
        await conversation.read()
        return conversation.lines()

    async def explain(self, contact_id: str, event: gr.EventData) -> Shown:
        """Show what the chosen reply was based on. Outputs: memories, more, path."""
        told: Any = event  # Any: what the page's script sends
        conversation = self._conversation(contact_id)
        await conversation.read()
        memories, more, _, path = conversation.panels(str(told.uid))
        return [memories, more, path]

    async def dig(self, contact_id: str, event: gr.EventData) -> str:
        """Show every feature, or the whole prompt, of the chosen reply."""
        told: Any = event  # Any: what the page's script sends
        conversation = self._conversation(contact_id)
        await conversation.read()
        try:
            return await conversation.dug(str(told.what), str(told.of))
        except RecollectError as error:
            raise gr.Error(render.text_html(sentence_of(error)), print_exception=False) from error

    async def correct(self, contact_id: str, event: gr.EventData) -> Shown:
        """Let a fact have the value that was typed in its place. Outputs: the conversation."""
        told: Any = event  # Any: what the page's script sends
        correcting = self._corrector().set(contact_id, told.key, told.text, told.value)
        return await self._corrected(contact_id, correcting)

    async def forget(self, contact_id: str, event: gr.EventData) -> Shown:
        """Forget a fact. Outputs: the conversation."""
        told: Any = event  # Any: what the page's script sends
        forgetting = self._corrector().forget_value(contact_id, told.key, told.value)
        return await self._corrected(contact_id, forgetting)

    async def _corrected(self, contact_id: str, correcting: Awaitable[object]) -> Shown:
        try:
            await correcting
        except RecollectError as error:
            raise gr.Error(render.text_html(sentence_of(error)), print_exception=False) from error
        conversation = self._conversation(contact_id)
        await conversation.read()
        return conversation.shown()

    def _corrector(self) -> Corrector:
        stores = self._agent.stores
        return Corrector(stores.memory, stores.clock, stores.ids, stores.settings.tenant)

    def _conversation(self, contact_id: str) -> Conversation:
        # One for all pages, so that in an outage each shows what any of them read before.
        if contact_id not in self._conversations:
            room = Room(self._agent, self._agent.local_chat(name_of(contact_id)))
            self._conversations[contact_id] = Conversation(self._agent, contact_id, room)
        return self._conversations[contact_id]


def _box() -> gr.Textbox:
    return gr.Textbox(
        show_label=False,
        label="Message",
        placeholder="Say something…",
        lines=1,
        max_lines=6,
        autofocus=True,
        scale=5,
        elem_id="rc-box",
        container=False,
    )
