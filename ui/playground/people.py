"""Who has talked with the agent, on every channel, and who may be talked as here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date
from html import escape
from typing import Final
from urllib.parse import urlencode

from graph.agent import Agent
from memory.domain.chats import local_contact
from memory.domain.imports import ImportState

LOCAL = "web:"
"""How the ids of contacts begin who talk at this machine."""
PHONE = "@c.us"
"""What the id of somebody on WhatsApp ends with whose number is known."""
CHANNELS: Final = {
    "web": "here",
    "waha": "WhatsApp",
    "telegram": "Telegram",
    "whatsapp": "import",
    "jsonl": "import",
    "api": "API",
}
LISTED = 200
IMPORTS = 8

CHOOSE = """
const left = element.closest('#rc-left');
// What is turned to while something else is fetched is sent when that is over, and Gradio sends
// the object of the first one again: so it is one and the same, and says where the page is by then.
const told = {};
const turn = () => { told.address = location.search; trigger('select', told); };
document.querySelector('#rc-people').turn = turn;
const find = () => left.querySelector('#rc-search input');
const ANYBODY = 'Search, or a new name', NEW = 'Name of the new person';
const go = search => {
  const at = new URL(location), view = at.searchParams.get('view');
  at.search = search;
  // Whoever has just turned to another view goes there: this list may still be the earlier one's.
  if (view) at.searchParams.set('view', view);
  history.pushState(null, '', at);
  left.removeAttribute('data-open');
  turn();
};
element.addEventListener('click', event => {
  if (event.target.closest('button[data-new]')) {
    find().placeholder = NEW;
    return find().focus();
  }
  const link = event.target.closest('a[data-contact]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go(link.search);
});
// Enter turns to whoever is called so; else to the new person that was asked for, or the first.
const enter = async () => {
  const box = find(), name = box.value.trim(), isNew = box.placeholder === NEW;
  if (!name) { box.placeholder = NEW; return; }
  const at = new URLSearchParams(location.search);
  const html = await server.listed([name, at.get('contact') ?? '', at.get('view') ?? '']);
  if (!html || box.value.trim() !== name) return;
  const links = [...new DOMParser().parseFromString(html, 'text/html')
    .querySelectorAll('a[data-contact]:not([data-import])')];
  const called = links.find(each => each.querySelector('span').textContent === name);
  const added = links.find(each => 'new' in each.dataset);
  const found = called ?? (isNew ? added : links[0]);
  if (!found) return;
  box.value = '';
  box.dispatchEvent(new Event('input', { bubbles: true }));
  box.placeholder = ANYBODY;
  go(new URL(found.getAttribute('href'), location).search);
  // Where one writes as them, the box is next.
  document.querySelector('#rc-box textarea')?.focus();
};
left.addEventListener('keydown', event => {
  if (event.key !== 'Enter' || event.isComposing || event.target !== find()) return;
  event.preventDefault();
  enter();
});
// The arrows go through the list, also from the box above it.
left.addEventListener('keydown', event => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  const links = [...left.querySelectorAll('#rc-people a')];
  const next = links[links.indexOf(document.activeElement) + step];
  if (next) { event.preventDefault(); next.focus(); }
});
// Who writes elsewhere is listed, too; but not drawn under the keys of who walks through the list.
let isAsking = false;
const look = async () => {
  if (document.hidden || isAsking || element.contains(document.activeElement)) return;
  if (!element.querySelector('a')) return;
  const box = left.querySelector('#rc-search input'), here = location.search;
  const at = new URLSearchParams(here), search = box.value, was = props.value;
  isAsking = true;
  try {
    const now = await server.listed([search, at.get('contact') ?? '', at.get('view') ?? '']);
    const isSame = box.value === search && props.value === was && location.search === here;
    const isWalked = element.contains(document.activeElement);
    if (now && now !== was && isSame && !isWalked) props.value = now;
  } catch { /* the server is away: the next look will tell */ } finally { isAsking = false; }
};
setInterval(look, 5000);
document.addEventListener('visibilitychange', look);
"""
"""What `people_html` does in the browser: a click is an address, told by a `select` event.

Whoever turns to another view calls `turn` of what has the id, which is the same event. Every five
seconds the list is asked for anew, and drawn where it is another one.
"""

OPEN = """
const told = () => {
  const isOpen = element.closest('#rc-left').hasAttribute('data-open');
  element.querySelector('button')?.setAttribute('aria-expanded', String(isOpen));
};
new MutationObserver(told).observe(element.closest('#rc-left'), { attributeFilter: ['data-open'] });
watch('value', told);
element.addEventListener('click', event => {
  if (event.target.closest('button')) element.closest('#rc-left').toggleAttribute('data-open');
});
"""
"""What `whose_html` does on a phone: it opens the list of people, which is folded there."""


@dataclass(frozen=True, slots=True)
class Person:
    """A contact as they are listed. `last` is the day when they were heard last; None: never.

    `is_new`: nothing was said as them yet. `due`: how much is due with them, or overdue.
    """

    contact_id: str
    name: str = ""
    last: date | None = None
    is_new: bool = False
    due: int = 0

    @property
    def called(self) -> str:
        """What they are called; of whom no name is known, what their id says."""
        return self.name or name_of(self.contact_id)


async def is_somebody(agent: Agent, contact_id: str) -> bool:
    """Tell whether somebody can be shown: who may talk here, or is known from elsewhere."""
    if contact_id.startswith(LOCAL):
        return bool(name_of(contact_id).strip())
    memory, tenant = agent.stores.memory, agent.stores.settings.tenant
    # What people are like is made behind the turn, and who spoke in a group alone is in no page.
    return bool(
        await memory.contact_states.of(tenant, [contact_id])
        or await memory.ledger.page(tenant, contact_id, None, 1)
        or await memory.facts.active(tenant, contact_id)
        or await memory.timelines.weeks(tenant, contact_id, UTC, 1)
    )


async def people(agent: Agent, search: str, chosen: str) -> list[Person]:
    """Return whom the agent knows, at most `LISTED`, whose name or id holds `search`.

    First who talks here by default, then whoever was heard last; with them `chosen`, though nothing
    was said as them yet, if there can be such a person, and at the end who is looked for, where
    nobody is called so.
    """
    stores, settings = agent.stores, agent.stores.settings
    words = search.strip()
    rows = await stores.memory.contact_states.listing(settings.tenant, words, "", LISTED)
    due = await stores.memory.open_loops.due(settings.tenant, stores.clock())
    known = {
        row.contact_id: Person(row.contact_id, row.name, row.course.last_at.date()) for row in rows
    }
    here = local_contact(settings.contact)
    # What people are like is made behind the turn: whoever wrote a moment ago is known by the chat.
    chats = await stores.memory.turns.chats(settings.tenant, "web", "local")
    if chosen not in known and not await is_somebody(agent, chosen):
        chosen = here
    for contact_id in (here, chosen, *(local_contact(chat.chat_id) for chat in chats)):
        if words.lower() in contact_id.lower():
            known.setdefault(contact_id, Person(contact_id))
    listed = sorted(
        (replace(each, due=due.get(each.contact_id, 0)) for each in known.values()),
        key=lambda each: (each.contact_id != here, -_ordinal(each.last), each.called),
    )
    if words and all(words not in (each.called, name_of(each.contact_id)) for each in listed):
        listed.append(Person(local_contact(words), is_new=True))
    return listed


def name_of(contact_id: str) -> str:
    """Return what a contact is called of whom nothing but the id is known."""
    told = contact_id.partition(":")[2]
    if contact_id.startswith(LOCAL):
        return told
    if told.endswith(PHONE):
        return "+" + told.removesuffix(PHONE)
    return f"{channel_of(contact_id)} {told.partition('@')[0]}".strip()


def channel_of(contact_id: str) -> str:
    """Return in a word where a contact is answered; or that they are known from an import."""
    channel = contact_id.partition(":")[0]
    return CHANNELS.get(channel, channel)


def day_text(day: date | None, today: date) -> str:
    """Return a day as short as it can be told; empty for none."""
    if day is None:
        return ""
    if day == today:
        return "today"
    return f"{day:%-d %b}" if day.year == today.year else f"{day:%b %Y}"


def whose_html(person: Person) -> str:
    """Return the line that says on a phone whose page this is."""
    return (
        "<button aria-expanded='false' aria-controls='rc-left'>"
        f"<span dir='auto'>{escape(person.called)}</span>"
        f"<small>{escape(channel_of(person.contact_id))} · People</small></button>"
    )


def people_html(
    listed: Sequence[Person],
    chosen: str,
    view: str,
    today: date,
    imports: Sequence[ImportState] = (),
) -> str:
    """Return a list of people as links, each an address of its own; then what was imported."""
    rows = "".join(_row(each, chosen, view, today) for each in listed)
    html = f"<ul class='rc-people'>{rows}</ul>" if listed else ""
    if not listed:
        html = "<p class='rc-nothing'>Nobody of that name.</p>"
    if not any(each.is_new for each in listed):
        html += "<button class='rc-new' data-new='1'>+ New person</button>"
    names = {each.contact_id: each.called for each in listed}
    return html + _imports_html(imports, view, names)


def _row(person: Person, chosen: str, view: str, today: date) -> str:
    current = " aria-current='true'" if person.contact_id == chosen else ""
    name = escape(person.called)
    if person.is_new:
        name = f"+ New person “{name}”"
    told = [channel_of(person.contact_id), day_text(person.last, today)]
    due = f" <b class='rc-due'>{person.due} due</b>" if person.due else ""
    told_text = escape(" · ".join(filter(None, told)))
    beneath = "" if person.is_new else f"<small>{told_text}{due}</small>"
    new = " data-new='1'" if person.is_new else ""
    return (
        f"<li><a href='{address_of(person.contact_id, view)}'"
        f" data-contact='{escape(person.contact_id)}'{new}{current}>"
        f"<span dir='auto'>{name}</span>{beneath}</a></li>"
    )


def _imports_html(imports: Sequence[ImportState], view: str, names: Mapping[str, str]) -> str:
    if not imports:
        return ""
    rows = "".join(
        f"<li><a href='{address_of(each.contact_id, view)}' data-import='1'"
        f" data-contact='{escape(each.contact_id)}'>"
        f"<span dir='auto'>{escape(each.file_name)}</span><small>{each.new:,} messages, for"
        f" {escape(names.get(each.contact_id) or name_of(each.contact_id))}</small></a></li>"
        for each in imports[:IMPORTS]
    )
    return f"<h2 class='rc-imports'>Imports</h2><ul class='rc-people'>{rows}</ul>"


def address_of(contact_id: str, view: str) -> str:
    """Return the address of a contact's view, from wherever the page is, for an attribute."""
    return f"?{escape(urlencode({'contact': contact_id, 'view': view}))}"


def _ordinal(day: date | None) -> int:
    return day.toordinal() if day else 0
