"""The console's page: people at the left, views of the one who is chosen, an address for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

import gradio as gr
from gradio.components import Component

from graph.agent import Agent
from memory.domain.chats import local_contact
from memory.errors import RecollectError
from ui.playground import render, style
from ui.playground.astray import astray_html
from ui.playground.parts import CONCURRENT_TURNS
from ui.playground.people import (
    CHOOSE,
    OPEN,
    Person,
    is_somebody,
    people,
    people_html,
    whose_html,
)
from ui.playground.sentences import sentence_of
from ui.playground.views import Addressed, View
from ui.playground.views.chat import Chat
from ui.playground.views.evals import Evals
from ui.playground.views.graph import Graph
from ui.playground.views.imports import Imports
from ui.playground.views.lab import Lab
from ui.playground.views.memory import MemoryView
from ui.playground.views.settings import SettingsView
from ui.playground.views.timeline import Timeline

Shown = list[Any]  # Any: one value for each component that is shown anew, in their order

# A view is in the address, so that it can be kept, sent and gone back to.
GO = """view => {
  const at = new URL(location);
  if (at.searchParams.get('view') === view) return;
  // Gradio selects the first tab when the page opens, whatever the address says.
  const people = document.querySelector('#rc-people'), isFirst = !at.searchParams.has('view');
  if (!isFirst && !people.querySelector('[class^=rc-]')) return;
  for (const part of ['part', 'q', 'day', 'entity']) at.searchParams.delete(part);
  at.searchParams.set('view', view);
  history[isFirst ? 'replaceState' : 'pushState'](null, '', at);
  // Not as an event of the tab: one that ran beside the page's first would cost it its answer,
  // since the stream of answers is closed by whichever is over while the other is on its way.
  if (!isFirst) people.turn();
}"""
COME_BACK = "() => { window.onpopstate = () => location.reload(); }"


COPIES_GO: Final = (3_600, 86_400)
"""How often what browsers sent is looked through, and how old it becomes, in seconds.

When the page is served no more, all of it goes.
"""


class Console:
    """The frame of the page: who is chosen, and what of them is shown."""

    def __init__(self, agent: Agent, views: list[View]) -> None:
        self._agent = agent
        self._views = {view.name: view for view in views}
        self._sizes: dict[str, int] = {}

    def draw(self, page: gr.Blocks) -> None:
        """Put everything on the page and wire it."""
        first = next(iter(self._views))
        contact, view = gr.State(""), gr.State(first)
        self._top()
        with gr.Row(equal_height=False, elem_id="rc-frame"):
            with gr.Column(scale=0, min_width=220, elem_id="rc-left"):
                whose = gr.HTML(elem_id="rc-whose", js_on_load=OPEN)
                search = gr.Textbox(
                    label="People",
                    placeholder="Search, or a new name",
                    max_lines=1,
                    elem_id="rc-search",
                )
                listed = gr.HTML(
                    elem_id="rc-people", js_on_load=CHOOSE, server_functions=[self._looked()]
                )
            with gr.Column(scale=1, min_width=0):
                astray = gr.HTML(elem_id="rc-astray")
                with gr.Tabs(elem_id="rc-views") as tabs:
                    shown, drawn = self._draw_views(contact)
        everything = [contact, view, whose, listed, astray, tabs, *shown]
        quiet: dict[str, Any] = {  # Any: options of Gradio's events
            "show_progress": "hidden",
            "concurrency_limit": CONCURRENT_TURNS,
        }
        page.load(self.open, None, everything, **quiet)
        page.load(None, js=style.APPLY_THEME)
        page.load(None, js=COME_BACK)
        searched = [search.input, search.submit]
        # Without "always_last" what is typed while a search goes on would not be looked for, nor
        # would a view or a person be shown who is turned to while another one is fetched.
        last: Any = {**quiet, "trigger_mode": "always_last"}  # Any: options of Gradio's events
        gr.on(searched, self.find, [search, contact, view], [listed], **last)
        for name, tab in drawn.items():
            tab.select(None, js=f"() => ({GO})('{name}')")
        # The tabs are not among what it fills: whoever turned on meanwhile would be thrown back.
        listed.select(self.turn, None, [contact, view, whose, listed, astray, *shown], **last)

    def _top(self) -> None:
        with gr.Row(elem_id="rc-top"):
            gr.HTML(render.brand_html(self._agent.stores.settings.model))
            toggle = gr.Button("◐", elem_id="rc-theme", size="sm")
            toggle.click(None, js=style.TOGGLE_THEME)

    def _draw_views(self, contact: gr.State) -> tuple[list[Component], dict[str, gr.Tab]]:
        shown: list[Component] = []
        drawn = {}
        for name, view in self._views.items():
            with gr.Tab(view.title, id=name) as drawn[name]:
                filled = view.draw(contact)
            self._sizes[name] = len(filled)
            shown += filled
        return shown, drawn

    async def open(self, request: gr.Request) -> Shown:
        """Show what the address says: of whom, and which view. Outputs: everything."""
        return await self._everything(dict(request.query_params))

    async def turn(self, event: gr.EventData) -> Shown:
        """Show what the address says by now. Outputs: everything but the tabs."""
        told: Any = event  # Any: what the page's script sends
        contact_id, name, whose, listed, astray, _, *shown = await self._everything(
            dict(parse_qsl(str(told.address).removeprefix("?")))
        )
        return [contact_id, name, whose, listed, astray, *shown]

    async def find(self, search: str, contact_id: str, view: str) -> str:
        """Return the list of people whose name or id holds what is typed."""
        listed = await people(self._agent, search, contact_id)
        return await self._listed(listed, contact_id, view, is_whole=not search.strip())

    def _looked(self) -> Any:  # Any: Gradio takes it for a function of its own making
        """Return what lists people anew; nothing where they cannot be asked for."""

        async def listed(told: list[str]) -> str:
            search, contact_id, view = map(str, told)
            mine = local_contact(self._agent.stores.settings.contact)
            shown = view if view in self._views else next(iter(self._views))
            try:
                return await self.find(search, contact_id or mine, shown)
            except RecollectError:
                return ""

        return listed

    async def _listed(
        self, listed: list[Person], contact_id: str, view: str, *, is_whole: bool
    ) -> str:
        stores = self._agent.stores
        today = stores.clock().date()
        imports = await stores.memory.imports.listing(stores.settings.tenant) if is_whole else []
        return people_html(listed, contact_id, view, today, imports)

    async def _everything(self, address: Mapping[str, str]) -> Shown:
        """Return the whole page with one view filled; the others are filled when turned to."""
        mine = local_contact(self._agent.stores.settings.contact)
        asked, sought = address.get("contact", "").strip() or mine, address.get("view", "")
        name = sought if sought in self._views else next(iter(self._views))
        view, contact_id = self._views[name], asked
        try:
            if not await is_somebody(self._agent, asked):
                contact_id = mine
            if isinstance(view, Addressed):
                filled = await view.show_at(contact_id, address)
            else:
                filled = await view.show(contact_id)
        except RecollectError as error:
            raise gr.Error(render.text_html(sentence_of(error)), print_exception=False) from error
        whose = Person(contact_id)
        try:
            known = await people(self._agent, "", contact_id)
            whose = next((each for each in known if each.contact_id == contact_id), whose)
            listed = await self._listed(known, contact_id, name, is_whole=True)
        except RecollectError as error:
            listed = render.notice_html(sentence_of(error))
        shown = []
        for each, size in self._sizes.items():
            shown += filled if each == name else [gr.skip()] * size
        nobody = asked if asked != contact_id else ""
        astray = astray_html(nobody, "" if sought == name else sought, contact_id)
        return [contact_id, name, whose_html(whose), listed, astray, gr.Tabs(selected=name), *shown]


def build_page(agent: Agent) -> gr.Blocks:
    """Return the page for an agent, not yet served."""
    page: gr.Blocks = gr.Blocks(
        title="Recollect", analytics_enabled=False, fill_width=True, delete_cache=COPIES_GO
    )
    with page:
        views: list[View] = [
            Chat(agent),
            MemoryView(agent),
            Timeline(agent),
            Graph(agent),
            Imports(agent),
            Lab(),
            Evals(),
            SettingsView(agent),
        ]
        Console(agent, views).draw(page)
    return page
