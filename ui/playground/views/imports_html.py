"""Imports as HTML: how one goes on, and what those of the past brought. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from urllib.parse import urlencode

from graph.importing.background import Progress
from memory.domain.imports import Extent, ImportState
from ui.playground.views.timeline_html import day_address

_SOURCES = {"whatsapp": "WhatsApp", "telegram": "Telegram", "jsonl": "JSON lines"}


@dataclass(frozen=True, slots=True)
class Brought:
    """A past import, what its chats hold, and some who speak in them: their names by contact id."""

    state: ImportState
    extent: Extent
    people: Mapping[str, str]


def progress_html(progress: Progress | None, *, is_running: bool) -> str:
    """Return how an import goes on, or how it ended; nothing where there was none."""
    if progress is None:
        return ""
    name = f"<b dir='auto'>{escape(progress.order.path.name)}</b>"
    if is_running:
        if not progress.total:
            return _told(f"<p role='status'>Reading {name} …</p><progress></progress>")
        return _told(
            f"<p role='status'>{name}: {_of(progress)} · {progress.per_second:,.0f} messages/s</p>"
            f"<progress max='{progress.total}' value='{progress.position}'"
            f" aria-label='Messages imported'></progress><p><small>{escape(progress.note)}"
            " It goes on when this page is closed, and ends with this program.</small></p>"
        )
    if progress.error:
        return _told(f"<p class='rc-notice' role='alert'>{escape(progress.error)}</p>")
    if progress.done is None:
        kept = _of(progress) if progress.total else "Nothing of it"
        return _told(
            f"<p class='rc-notice' role='status'>Stopped: {kept} kept of {name}. “Import” goes on"
            " there, now or when the same file is dropped again.</p>"
        )
    new, facts = progress.done.new, progress.done.facts
    with_chat = (
        f" It goes on with {escape(progress.goes_on_with)}." if progress.goes_on_with else ""
    )
    if not new:
        return _told(f"<p role='status'>{name} was imported before: nothing to add.</p>")
    return _told(
        f"<p role='status'>{name} is imported and searchable: {counted(new, 'new message')},"
        f" {counted(facts, 'fact')} learned.{with_chat}</p>"
    )


def brought_html(imports: Sequence[Brought]) -> str:
    """Return past imports, the latest first, each with ways to its days and its people."""
    if not imports:
        return (
            "<p class='rc-nothing'>Nothing was imported yet. Drop a chat that WhatsApp or Telegram"
            " exported; not one message of it is answered, now or later.</p>"
        )
    return f"<ul class='rc-brought'>{''.join(map(_row, imports))}</ul>"


def _row(each: Brought) -> str:
    state, extent = each.state, each.extent
    parts = [
        _SOURCES.get(state.kind, state.kind),
        counted(extent.messages, "message"),
        f"{counted(state.facts, 'fact')} learned",
        counted(extent.people, "person", "people"),
    ]
    if extent.first and extent.last:
        parts.append(f"{extent.first:%-d %b %Y} to {extent.last:%-d %b %Y}")
    unfinished = ""
    if state.finished_at is None:
        unfinished = (
            f" <span class='rc-kind'>unfinished</span> {state.position:,} of {state.total:,};"
            " drop the file again to go on"
        )
    last = extent.last.date().isoformat() if extent.last else ""
    links = [f"<a href='{escape(day_address(state.contact_id, last))}'>Read the chat</a>"]
    links += [
        f"<a href='?{escape(urlencode({'contact': contact, 'view': 'timeline'}))}' dir='auto'>"
        f"{escape(name)}</a>"
        for contact, name in each.people.items()
    ]
    return (
        f"<li><b dir='auto'>{escape(state.file_name)}</b>{unfinished}"
        f" <small>{state.began_at:%-d %b %Y}</small><br><small>{escape(' · '.join(parts))}</small>"
        f"<br>{' · '.join(links)}</li>"
    )


def _of(progress: Progress) -> str:
    return f"{progress.position:,} of {progress.total:,} messages"


def _told(html: str) -> str:
    return f"<div class='rc-progress'>{html}</div>"


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: `1 person`, `1,200 people`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
