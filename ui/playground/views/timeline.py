"""The timeline: a person's days, with what was said, learned and left open, and their weeks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gradio as gr
from gradio.components import Component

from graph.agent import Agent
from memory.contacts.timeline import timeline_of, zone_for
from memory.errors import RecollectError
from memory.facts.asof import BadTime
from ui.playground import render
from ui.playground.parts import CONCURRENT_TURNS
from ui.playground.sentences import sentence_of
from ui.playground.views.timeline_html import timeline_html
from ui.playground.views.weeks_html import SHOWN_WEEKS, weeks_html

LIMIT = 60
"""Messages a page: days end with it, longer ones are read in pieces."""

GO = """
// Gradio sends the object of the first event again, for what was asked while that was answered.
const told = {};
const go = day => {
  const at = new URL(location);
  if (day) at.searchParams.set('day', day); else at.searchParams.delete('day');
  history.pushState(null, '', at);
  element.scrollIntoView({ block: 'start' });
  told.day = day;
  trigger('select', told);
};
element.addEventListener('click', event => {
  const link = event.target.closest('a[data-day]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go(link.dataset.day);
});
element.addEventListener('change', event => {
  if (event.target.matches('input[data-jump]')) go(event.target.value);
});
element.addEventListener('keydown', event => {
  const step = { ArrowRight: 'nextElementSibling', ArrowLeft: 'previousElementSibling' }[event.key];
  const next = step && event.target.closest('.rc-weeks a')?.[step];
  if (next?.tagName !== 'a') return;
  event.preventDefault();
  event.target.setAttribute('tabindex', -1);
  next.setAttribute('tabindex', 0);
  next.focus();
});
"""
"""A day that is gone to is an address and a `select` event; arrows walk through the weeks."""


class Timeline:
    """A person's days, the latest first; `?day=` is the last one that is shown."""

    name = "timeline"
    title = "Timeline"

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    def draw(self, contact: gr.State) -> list[Component]:
        """Put the strip of weeks and the days on the page; `show` fills them as one part."""
        days = gr.HTML(elem_id="rc-timeline", js_on_load=GO)
        days.select(
            self.go,
            [contact],
            [days],
            show_progress="hidden",
            concurrency_limit=CONCURRENT_TURNS,
            trigger_mode="always_last",
        )
        return [days]

    async def show(self, contact_id: str) -> list[Any]:
        """Return the latest days of a contact."""
        return await self.show_at(contact_id, {})

    async def show_at(self, contact_id: str, address: Mapping[str, str]) -> list[Any]:
        """Return the days of a contact up to the one that the address names."""
        until = address.get("day", "")
        try:
            return [await self._page(contact_id, until)]
        except BadTime as error:
            return [render.notice_html(f"{error}.") + await self._page(contact_id, "")]

    async def go(self, contact_id: str, event: gr.EventData) -> str:
        """Show the days up to the one that was chosen; an outage is told in their place."""
        told: Any = event  # Any: what the page's script sends
        try:
            (html,) = await self.show_at(contact_id, {"day": str(told.day or "")})
        except RecollectError as error:
            return render.notice_html(sentence_of(error))
        return str(html)

    async def _page(self, contact_id: str, until: str) -> str:
        stores = self._agent.stores
        memory, tenant = stores.memory, stores.settings.tenant
        zone = await zone_for(memory, tenant, contact_id, stores.settings.timezone)
        now = stores.clock()
        days = await timeline_of(memory, tenant, contact_id, now, zone, until=until, limit=LIMIT)
        weeks = await memory.timelines.weeks(tenant, contact_id, zone, SHOWN_WEEKS)
        return weeks_html(contact_id, weeks) + timeline_html(days, now, until)
