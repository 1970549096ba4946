"""The playground's page: what is on it and what happens on it. All state is in the stores."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable
from typing import Any

import gradio as gr

from graph.agent import Agent, Event, Failed, Finished, NodeDone, Stored, Token
from memory.domain.chats import Actor, ChatRef, StoredMessage, local_contact
from memory.errors import RecollectError
from memory.facts.corrector import Corrector
from ui.failures import failed_turns
from ui.playground import render, style
from ui.playground.render import Step
from ui.receipt import Explained, latest_receipts

HISTORY = 60
PAUSES = 20
"""Paused chats that are listed."""
CONCURRENT_TURNS = 8
# Frames of a reply that is being written; more would only flicker.
FRAME_S = 0.05

Line = dict[str, Any]  # Any: a message as gr.Chatbot takes it
View = list[Any]  # Any: one value for each of the page's outputs, in their order


class Conversation:
    """One contact's conversation, from the stores to the page."""

    def __init__(self, agent: Agent, contact: str) -> None:
        self.agent = agent
        self.contact = contact.strip() or agent.stores.settings.contact
        self.chat: ChatRef = agent.local_chat(self.contact)
        self._steps: list[Step] = []
        self._written = ""
        self._notices: list[Line] = []
        self._is_out = False

    async def view(self, focus: str = "") -> View:
        """Return the whole page; the receipt shown is that of the reply `focus`, else the newest.

        Outputs: chat, uids of its lines, memories, facts, path.
        """
        history = await self.agent.stores.memory.ledger.since(self.chat, 0, HISTORY)
        receipts = await latest_receipts(self.agent, self.chat, HISTORY)
        shown = receipts.get(focus) or next(iter(receipts.values()), None)
        steps = self._steps or [Step(node) for node in (shown.receipt.nodes if shown else ())]
        facts = await self.agent.facts(self.contact)
        stores = self.agent.stores
        told = await stores.memory.facts.history(self.chat.tenant, local_contact(self.contact))
        paused = await stores.memory.pauses.paused_chats(self.chat.tenant, stores.clock(), PAUSES)
        return [
            [*(_line(stored, receipts) for stored in history), *self._notices],
            [stored.uid for stored in history],
            render.recalled_html(shown.memories if shown else (), shown.receipt if shown else None),
            render.pauses_html(paused) + render.facts_html(facts, self.contact, told),
            render.path_html(steps),
        ]

    async def run(self, events: AsyncIterator[Event], said: str = "") -> AsyncIterator[View]:
        """Yield the page as a turn goes on, then as it stands in the stores."""
        try:
            lines, uids, *panels = await self.view()
            if said:
                lines = [*lines, {"role": "user", "content": render.message_html(said)}]
            async for frame in self._frames(events, lines):
                yield [frame, uids, *panels[:2], render.path_html(self._steps)]
            yield await self.view()
        except RecollectError as error:
            yield [[*lines, _notice(str(error))], uids, *panels]
        # The outer loop of a turn: whatever goes wrong with it, the page goes on.
        except Exception as error:  # noqa: BLE001
            text = (
                f"Something broke ({type(error).__name__}): `recollect doctor` checks the stores."
            )
            yield [[*lines, _notice(text)], uids, *panels]

    async def _frames(
        self, events: AsyncIterator[Event], lines: list[Line]
    ) -> AsyncIterator[list[Line]]:
        drawn = time.monotonic()
        yield [*lines, self._draft()]
        async for event in events:
            self._take(event)
            is_due = time.monotonic() - drawn >= FRAME_S
            if is_due or not isinstance(event, Token):
                drawn = time.monotonic()
                yield [*lines, self._draft()]

    def _take(self, event: Event) -> None:
        if isinstance(event, Token):
            self._written += event.text
        elif isinstance(event, NodeDone):
            if event.node == "normalize":
                self._steps, self._is_out = [], False
            self._steps.append(Step(event.node, event.ms))
        elif isinstance(event, Stored):
            self._is_out = True
        elif isinstance(event, Failed):
            self._notices.append(
                _notice(
                    f"No answer this time: {event.reason.rstrip('.')}."
                    " Your message is kept; “Try again” asks once more."
                )
            )
        elif isinstance(event, Finished):
            self._written = ""

    def _draft(self) -> Line:
        html = render.message_html(self._written, is_agent=True, is_writing=not self._is_out)
        return {"role": "assistant", "content": html}


class Playground:
    """The callbacks of the page, on one agent."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    async def open(self, contact: str | None) -> View:
        """Return the conversation of a contact, the contacts there are, and whether to retry."""
        settings = self._agent.stores.settings
        conversation = Conversation(self._agent, contact or settings.contact)
        try:
            chats = await self._agent.stores.memory.turns.chats(settings.tenant, "web", "local")
            view = await conversation.view()
            failed = await failed_turns(self._agent, conversation.chat)
        except RecollectError as error:
            raise gr.Error(render.text_html(str(error)), print_exception=False) from error
        names = list(dict.fromkeys([settings.contact, *(chat.chat_id for chat in chats)]))
        if conversation.contact not in names:
            names.append(conversation.contact)
        chooser = gr.update(choices=names, value=conversation.contact)
        return [*view, chooser, gr.update(visible=bool(failed))]

    async def say(self, text: str | None, contact: str | None) -> AsyncIterator[View]:
        """Answer what was typed. Outputs: the page, the text box, the retry button."""
        if not text or not text.strip():
            yield [gr.skip()] * 7
            return
        conversation = Conversation(self._agent, contact or "")
        message = self._agent.local_message(text, conversation.contact)
        box: Any = ""
        async for view in conversation.run(self._agent.send(message), text):
            yield [*view, box, gr.skip()]
            box = gr.skip()
        yield [*[gr.skip()] * 6, await self._retry_button(conversation)]

    async def retry(self, contact: str | None) -> AsyncIterator[View]:
        """Try this contact's failed turns again."""
        conversation = Conversation(self._agent, contact or "")
        for turn in await failed_turns(self._agent, conversation.chat):
            async for view in conversation.run(self._agent.retry(turn.turn_id)):
                yield [*view, gr.skip(), gr.skip()]
        yield [*[gr.skip()] * 6, await self._retry_button(conversation)]

    async def explain(self, contact: str | None, uids: list[str], event: gr.SelectData) -> View:
        """Show what the chosen reply was based on. Outputs: memories, path."""
        index = event.index[0] if isinstance(event.index, list | tuple) else event.index
        if not isinstance(index, int) or index >= len(uids):
            return [gr.skip(), gr.skip()]
        conversation = Conversation(self._agent, contact or "")
        _, _, memories, _, path = await conversation.view(uids[index])
        return [memories, path]

    async def correct(self, contact: str | None, event: gr.EventData) -> View:
        """Let a fact have the value that was typed in its place. Outputs: the page."""
        told: Any = event  # Any: what the page's script sends
        corrector, contact_id = self._corrector(contact)
        correcting = corrector.set(contact_id, told.key, told.text, told.value)
        return await self._corrected(contact, correcting)

    async def forget(self, contact: str | None, event: gr.EventData) -> View:
        """Forget a fact. Outputs: the page."""
        told: Any = event  # Any: what the page's script sends
        corrector, contact_id = self._corrector(contact)
        forgetting = corrector.forget_value(contact_id, told.key, told.value)
        return await self._corrected(contact, forgetting)

    async def _corrected(self, contact: str | None, correcting: Awaitable[object]) -> View:
        try:
            await correcting
            return await Conversation(self._agent, contact or "").view()
        except RecollectError as error:
            raise gr.Error(render.text_html(str(error)), print_exception=False) from error

    def _corrector(self, contact: str | None) -> tuple[Corrector, str]:
        stores = self._agent.stores
        conversation = Conversation(self._agent, contact or "")
        corrector = Corrector(stores.memory, stores.clock, stores.ids, stores.settings.tenant)
        return corrector, local_contact(conversation.contact)

    async def _retry_button(self, conversation: Conversation) -> Any:  # Any: a Gradio update
        return gr.update(visible=bool(await failed_turns(self._agent, conversation.chat)))


def build_page(agent: Agent) -> gr.Blocks:
    """Return the page for an agent, not yet served."""
    playground = Playground(agent)
    model = agent.stores.settings.model or "offline responder"
    page: gr.Blocks = gr.Blocks(title="Recollect", analytics_enabled=False, fill_width=True)
    with page:
        uids = gr.State([])
        with gr.Row(elem_id="rc-top"):
            gr.HTML(
                "<div class='rc-brand'><h1>Recollect</h1><p>An agent that shows what it"
                f" remembered · {render.text_html(model)}</p></div>"
            )
            contact = gr.Dropdown(
                label="Talking as: choose, or type a new name",
                choices=[agent.stores.settings.contact],
                value=agent.stores.settings.contact,
                allow_custom_value=True,
                elem_id="rc-contact",
                min_width=220,
            )
            toggle = gr.Button("◐", elem_id="rc-theme", size="sm")
        with gr.Row(equal_height=False):
            with gr.Column(scale=3, min_width=320):
                chat = _chatbot()
                with gr.Row(elem_id="rc-write"):
                    box = gr.Textbox(
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
                    send = gr.Button("Send", variant="primary", scale=0, elem_id="rc-send")
                again = gr.Button("Try again", visible=False, elem_id="rc-again", size="sm")
            with gr.Column(scale=2, min_width=320, elem_id="rc-side"):
                memories = _card("What this answer is based on", "rc-recalled")
                facts = _card("Facts", "rc-known", render.FACT_CONTROLS)
                path = _card("Path of the last turn", "rc-turn")
        view = [chat, uids, memories, facts, path]
        turn: dict[str, Any] = {  # Any: options of Gradio's events
            "outputs": [*view, box, again],
            "show_progress": "hidden",
            "concurrency_limit": CONCURRENT_TURNS,
            "concurrency_id": "turns",
        }
        gr.on([box.submit, send.click], playground.say, [box, contact], **turn)
        again.click(playground.retry, [contact], **turn)
        opened: dict[str, Any] = {  # Any: options of Gradio's events
            "inputs": [contact],
            "outputs": [*view, contact, again],
            "show_progress": "hidden",
            "concurrency_limit": CONCURRENT_TURNS,
        }
        contact.input(playground.open, **opened)
        page.load(playground.open, **opened)
        page.load(None, js=style.APPLY_THEME)
        chat.select(
            playground.explain,
            [contact, uids],
            [memories, path],
            show_progress="hidden",
            concurrency_limit=CONCURRENT_TURNS,
        )
        corrected: dict[str, Any] = {  # Any: options of Gradio's events
            "outputs": view,
            "show_progress": "hidden",
            "concurrency_limit": CONCURRENT_TURNS,
        }
        facts.edit(playground.correct, [contact], **corrected)
        facts.delete(playground.forget, [contact], **corrected)
        toggle.click(None, js=style.TOGGLE_THEME)
    return page


def _chatbot() -> gr.Chatbot:
    return gr.Chatbot(
        label="Conversation",
        show_label=False,
        height=640,
        elem_id="rc-chat",
        layout="bubble",
        buttons=[],
        feedback_options=None,
        latex_delimiters=[],
        group_consecutive_messages=False,
        sanitize_html=True,
        placeholder="Tell me something about you. I will remember it, and show when I use it.",
    )


def _card(title: str, elem_id: str, script: str | None = None) -> gr.HTML:
    return gr.HTML(
        js_on_load=script,
        elem_id=elem_id,
        elem_classes=["rc-card"],
        html_template=f"<h2>{title}</h2><div class='rc-body'>${{value}}</div>",
    )


def _line(stored: StoredMessage, receipts: dict[str, Explained]) -> Line:
    message = stored.message
    is_contact = message.actor is Actor.CONTACT
    explained = receipts.get(stored.uid)
    html = render.message_html(
        message.text,
        receipt=explained.line if explained else "",
        is_agent=not is_contact,
    )
    return {"role": "user" if is_contact else "assistant", "content": html}


def _notice(text: str) -> Line:
    return {"role": "assistant", "content": render.notice_html(text)}
