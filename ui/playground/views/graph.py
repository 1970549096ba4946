"""The graph: the people and things of a person, each with what is known of it and who says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gradio as gr
from gradio.components import Component

from graph.agent import Agent
from memory.contacts.timeline import zone_for
from memory.domain.chats import is_uid
from memory.domain.entities import Entity
from memory.errors import RecollectError
from ui.playground import render
from ui.playground.parts import CONCURRENT_TURNS
from ui.playground.people import name_of
from ui.playground.sentences import sentence_of
from ui.playground.views.graph_html import Chosen, graph_html

MENTIONS = 20
"""Messages that are shown of those that mention somebody, the last ones."""

CHOOSE = """
// Gradio sends the object of the first event again, for what was asked while that was answered.
const told = {};
element.addEventListener('click', event => {
  const link = event.target.closest('a[data-entity], a[data-kind]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (link.dataset.kind) {
    const list = element.querySelector('#rc-kind-' + link.dataset.kind);
    list.open = true;
    list.scrollIntoView({ block: 'nearest' });
    list.querySelector('summary').focus();
    return;
  }
  const at = new URL(location);
  at.searchParams.set('entity', link.dataset.entity);
  history.pushState(null, '', at);
  told.entity = link.dataset.entity;
  trigger('select', told);
});
"""
"""A click, or Enter, is an address and a `select` event; what is folded leads to its list."""


class Graph:
    """Who and what a person told of; `?entity=` is the one that is looked at."""

    name = "graph"
    title = "Graph"

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    def draw(self, contact: gr.State) -> list[Component]:
        """Put the picture and the list on the page; `show` fills them as one part."""
        graph = gr.HTML(elem_id="rc-graph", js_on_load=CHOOSE)
        graph.select(
            self.choose,
            [contact],
            [graph],
            show_progress="hidden",
            concurrency_limit=CONCURRENT_TURNS,
            trigger_mode="always_last",
        )
        return [graph]

    async def show(self, contact_id: str) -> list[Any]:
        """Return the graph of a contact, with nobody chosen."""
        return await self.show_at(contact_id, {})

    async def show_at(self, contact_id: str, address: Mapping[str, str]) -> list[Any]:
        """Return the graph of a contact, and what is known of whom the address names."""
        stores = self._agent.stores
        tenant = stores.settings.tenant
        entities = await stores.memory.entities.of(tenant, contact_id)
        asked = address.get("entity", "")
        found = next((each for each in entities if each.entity_id == asked), None)
        row = (await stores.memory.contact_states.of(tenant, [contact_id])).get(contact_id)
        name = (row.name if row else "") or name_of(contact_id)
        chosen = await self._chosen(contact_id, found) if found else None
        html = graph_html(contact_id, name, entities, chosen)
        if asked and not found:
            html = render.notice_html("It is not known any more, or not under this person.") + html
        return [html]

    async def choose(self, contact_id: str, event: gr.EventData) -> str:
        """Show what is known of whoever was clicked; an outage is told in its place."""
        told: Any = event  # Any: what the page's script sends
        try:
            (html,) = await self.show_at(contact_id, {"entity": str(told.entity)})
        except RecollectError as error:
            return render.notice_html(sentence_of(error))
        return str(html)

    async def _chosen(self, contact_id: str, entity: Entity) -> Chosen:
        stores = self._agent.stores
        memory, tenant = stores.memory, stores.settings.tenant
        ids = {tie.fact_id for tie in entity.ties}
        facts = await memory.facts.history(tenant, contact_id)
        uids = [uid for uid in entity.mentions if is_uid(uid)][-MENTIONS:]
        said = await memory.ledger.messages(tenant, uids)
        zone = await zone_for(memory, tenant, contact_id, stores.settings.timezone)
        return Chosen(
            entity,
            [fact for fact in facts if fact.fact_id in ids],
            sorted(
                (each for each in said if not each.withheld),
                key=lambda each: each.message.sent_at,
                reverse=True,
            ),
            zone,
        )
