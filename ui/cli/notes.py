"""`recollect memory add|notes|forget`: what the owner wants known, by kind (N11, N15)."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from memory.domain.notes import SCOPES, MemoryKind, MemoryScope
from memory.facts.predicates import key_in_words
from ui.cli.memory import AsJson, Tenant, settings_of
from ui.cli.whom import contact_of

if TYPE_CHECKING:
    from graph.settings import Settings
    from graph.stores import Stores
    from memory.domain.notes import Note
    from memory.facts.notebook import About, Notebook, Written

notes_app = typer.Typer()
_T = TypeVar("_T")

Kind = Annotated[
    MemoryKind | None,
    typer.Option(
        "--kind",
        help="semantic: what is so; procedural: how the agent shall behave; episodic: of a chat;"
        " reflective: of the whole house.",
    ),
]
ByScope = Annotated[
    MemoryScope | None, typer.Option("--scope", help="The same, said by whom it is about.")
]
Contact = Annotated[
    str | None,
    typer.Option(
        "--contact",
        "-c",
        metavar="ID",
        help="Whom it is about. Default: RECOLLECT_CONTACT, or me; of a channel: telegram:12345.",
    ),
]
Chat = Annotated[
    str, typer.Option("--chat", metavar="CHAT", help="Of a chat: CHANNEL/ACCOUNT/CHAT_ID.")
]


@notes_app.command()
def add(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What the agent shall know.")],
    kind: Kind = None,
    scope: ByScope = None,
    contact: Contact = None,
    chat: Chat = "",
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Write something down for the agent to know.

    Semantic, where nothing else is said: "home: Berlin" becomes a fact, any other text a note that
    prompts show where it fits. What is procedural is an instruction for the contact's chats.
    """
    settings = settings_of(tenant, contact)
    kinds = kinds_for(kind, scope, chat)
    wanted: MemoryKind = "semantic" if "semantic" in kinds else kinds[0]
    if wanted == "episodic" and not chat:
        raise typer.BadParameter("say of which chat it is", param_hint="--chat")
    written = _on_notebook(settings, chat, lambda book, about: book.add(text, wanted, about))
    if as_json:
        _write_json(_written_json(written))
    else:
        _write_line(_written_text(written))


@notes_app.command()
def notes(tenant: Tenant = None, as_json: AsJson = False) -> None:
    """List what was written by hand: id, kind, whom it is about, text."""
    settings = settings_of(tenant, None)
    found = _on_notebook(settings, "", lambda book, _: book.memory.notes.every(settings.tenant))
    if as_json:
        _write_json([note_to_json(note) for note in found])
    else:
        for note in found:
            _write_line(note_line(note))
        if not found:
            _write_line("No notes.")


@notes_app.command()
def forget(
    words: Annotated[
        list[str], typer.Argument(metavar="ID|KEY|WORDS", help="A note's id, a key, or words.")
    ],
    kind: Kind = None,
    scope: ByScope = None,
    contact: Contact = None,
    chat: Chat = "",
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Forget notes and facts. The transcript keeps them, prompts and searches do not."""
    from memory.facts.correcting import taken_back_to_json

    settings, kinds = settings_of(tenant, contact), kinds_for(kind, scope, chat)
    named = " ".join(words)
    dropped = _on_notebook(settings, chat, lambda book, about: book.forget(named, kinds, about))
    if as_json:
        gone = [note_to_json(note) for note in dropped.notes]
        _write_json({"notes": gone, "facts": taken_back_to_json(dropped.facts)})
        return
    for note in dropped.notes:
        _write_line(f"Forgotten: {note_line(note)}")
    for fact in dropped.facts.facts:
        _write_line(f"Forgotten: {key_in_words(fact.key)}: {fact.value}")


def kinds_for(
    kind: MemoryKind | None, scope: MemoryScope | None, chat: str
) -> tuple[MemoryKind, ...]:
    """Return the kinds that options name: all where none does.

    Raises:
        BadParameter: they do not go together.
    """
    if chat and kind is None and scope is None:
        scope = "chat"
    if kind is not None and scope is not None and SCOPES[kind] != scope:
        raise typer.BadParameter(
            f"{kind} memory is kept by {SCOPES[kind]}, not by {scope}", param_hint="--scope"
        )
    return tuple(each for each in SCOPES if kind in (None, each) and scope in (None, SCOPES[each]))


def note_to_json(note: Note) -> dict[str, Any]:  # Any: a JSON object
    """Return a note as a JSON object; what is the tenant's is about no contact."""
    return {
        "id": note.uid,
        "kind": note.kind,
        "scope": note.scope,
        "contact": note.contact_id,
        "anchor": "" if note.scope == "tenant" else note.anchor,
        "text": note.text,
        "written_at": note.written_at.isoformat(),
    }


def note_line(note: Note) -> str:
    """Return a note for people, in one line."""
    about = "all" if note.scope == "tenant" else note.anchor
    return f"{note.uid}  {note.kind:<10}  {about}  {note.text}"


def _written_json(written: Written) -> dict[str, Any]:  # Any: a JSON object
    facts = [{"key": each.key, "value": each.value} for each in written.facts]
    return {"note": note_to_json(written.note) if written.note else None, "facts": facts}


def _written_text(written: Written) -> str:
    if written.note:
        return f"Noted: {note_line(written.note)}"
    facts = "; ".join(f"{key_in_words(each.key)}: {each.value}" for each in written.facts)
    return f"Known now: {facts}"


def _on_notebook(
    settings: Settings, chat: str, work: Callable[[Notebook, About], Awaitable[_T]]
) -> _T:
    """Do something with a tenant's notebook, for whom a note is about, on the open stores."""

    async def run() -> _T:
        from graph.bootstrap import open_stores
        from memory.facts.notebook import About

        async with open_stores(settings) as stores:
            about = About(await contact_of(stores, settings.contact), chat)
            return await work(notebook_on(stores), about)

    return asyncio.run(run())


def notebook_on(stores: Stores) -> Notebook:
    """Return the notebook of the settings' tenant on open stores."""
    from memory.facts.notebook import Notebook

    return Notebook(stores.memory, stores.clock, stores.ids, stores.settings.tenant)


def _write_json(found: Any) -> None:  # Any: JSON
    sys.stdout.write(json.dumps(found, ensure_ascii=False, indent=2) + "\n")


def _write_line(text: str) -> None:
    from ui.cli.terminal import printable

    line = printable(text)
    sys.stdout.write(line.encode("utf-8", "replace").decode("utf-8") + "\n")
