"""`recollect episodes`: what a chat was about, stretch by stretch."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from ui.cli.memory import AsJson, Tenant, settings_of
from ui.cli.whom import Whom, contact_of, named_once

if TYPE_CHECKING:
    from graph.settings import Settings
    from graph.stores import Stores
    from memory.domain.episodes import Episode

episodes_app = typer.Typer(help="See what chats were about.", no_args_is_help=True)

_MOST = 100_000
_LINE_CHARS = 90

Contact = Annotated[
    str | None,
    typer.Option(
        "--contact",
        "-c",
        metavar="ID",
        help="Of whom. Default: RECOLLECT_CONTACT, or me; of a channel: telegram:12345.",
    ),
]
Chat = Annotated[str | None, typer.Option(metavar="THREAD", help="Of one chat, by its thread id.")]


@episodes_app.command("list")
def list_episodes(
    whom: Whom = None,
    contact: Contact = None,
    chat: Chat = None,
    limit: Annotated[int, typer.Option(min=1, max=_MOST, help="How many, the latest.")] = 50,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """List episodes, the latest last: number, day, turns, topic, first line of the summary."""
    settings = settings_of(tenant, named_once(whom, contact))
    found = asyncio.run(_read(settings, chat, limit))[::-1]
    if as_json:
        _write(_json(found))
    else:
        _write("\n".join(episode_lines(found)) or "No episodes yet.")


@episodes_app.command()
def show(
    number: Annotated[int, typer.Argument(min=1, metavar="NUMBER", help="As `list` shows it.")],
    contact: Contact = None,
    chat: Chat = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Show an episode: when it was, its summary, and what it holds."""
    settings = settings_of(tenant, contact)
    found = [each for each in asyncio.run(_read(settings, chat, _MOST)) if each.number == number]
    if not found:
        raise typer.BadParameter(f"there is no episode {number}", param_hint="NUMBER")
    if len(found) > 1:
        chats = ", ".join(f"--chat {each.thread_id} ({_days(each)})" for each in found)
        raise typer.BadParameter(f"chats count apart; say which: {chats}", param_hint="NUMBER")
    _write(_json(found) if as_json else _shown(found[0]))


async def _read(settings: Settings, chat: str | None, limit: int) -> list[Episode]:
    from graph.bootstrap import open_stores
    from memory.domain.chats import is_uid

    if chat is not None and not is_uid(chat):
        raise typer.BadParameter("it needs a thread id, a UUID", param_hint="--chat")
    async with open_stores(settings) as stores:
        episodes = stores.memory.episodes
        if chat is not None:
            return await episodes.of_chat(settings.tenant, chat, limit)
        return await episodes_on(stores, settings.contact, limit)


async def episodes_on(stores: Stores, contact: str, limit: int) -> list[Episode]:
    """Return the latest episodes of what a contact's direct chat may hear of, the latest first."""
    memory, tenant = stores.memory, stores.settings.tenant
    contact_id = await contact_of(stores, contact)
    anchor = f"contact:{contact_id}"
    heard = await memory.lexical.audience(tenant, contact_id, anchor, [])
    return await memory.episodes.of_anchors(tenant, [anchor, *heard.further], limit)


def episode_lines(episodes: Sequence[Episode]) -> list[str]:
    """Return lines: number, days, turns, topic, the summary's first line.

    Numbers count within a chat: where there are several, a line tells of which the next ones are.
    """
    width = max((len(_days(each)) for each in episodes), default=0)
    has_chats = len({each.thread_id for each in episodes}) > 1
    lines, chat = [], ""
    for each in episodes:
        if has_chats and each.thread_id != chat:
            lines.append(f"chat {each.thread_id}")
        chat = each.thread_id
        lines.append(_listed(each, width))
    return lines


def _listed(episode: Episode, width: int) -> str:
    head = f"{episode.number:>4}  {_days(episode):<{width}}  {episode.turns:>4} turns"
    summary = episode.summary
    topic = _line(summary.topic) if summary and summary.topic else "-"
    first = _line(summary.text.splitlines()[0]) if summary and summary.text else ""
    state = " (open)" if episode.is_open else ""
    return f"{head}  {topic}{state}" + (f"\n{'':>6}{first}" if first else "")


def _shown(episode: Episode) -> str:
    state = "open" if episode.is_open else "closed"
    lines = [f"{episode.number}. {_days(episode)}, {episode.turns} turns, {state}"]
    summary = episode.summary
    if summary is None:
        return "\n".join([*lines, "It is not summed up yet."])
    lines += [_line(summary.topic, 0), "", *(_line(each, 0) for each in summary.text.splitlines())]
    for name in ("facts", "decisions", "todos", "questions", "artifacts"):
        points = getattr(summary, name)
        if points:
            lines += ["", f"{name}:", *(f"  - {_line(point.text, 0)}" for point in points)]
    return "\n".join(lines)


def _days(episode: Episode) -> str:
    began, ended = episode.began_at.astimezone(), episode.ended_at.astimezone()
    until = f"{ended:%H:%M}" if began.date() == ended.date() else f"{ended:%Y-%m-%d %H:%M}"
    return f"{began:%Y-%m-%d %H:%M} - {until}"


def _line(text: str, most: int = _LINE_CHARS) -> str:
    from ui.cli.terminal import printable

    line = " ".join(printable(text).split())
    return line if not most or len(line) <= most else line[: most - 1] + "…"


def _json(found: list[Episode]) -> str:
    from pydantic import TypeAdapter

    from memory.domain.episodes import Episode

    return TypeAdapter(list[Episode]).dump_json(found, indent=2).decode()


def _write(text: str) -> None:
    sys.stdout.write(text.encode("utf-8", "replace").decode("utf-8") + "\n")
