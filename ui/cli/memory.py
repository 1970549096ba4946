"""`recollect memory`: what is remembered, in figures, and a search through it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from graph.settings import Settings
    from graph.stores import Stores
    from memory.domain.chats import StoredMessage
    from memory.domain.facts import Fact
    from memory.domain.imports import ImportState
    from memory.domain.recalls import Part, Recalled
    from memory.postgres.tenants import Census
    from memory.recall.recall import LookedAt
    from memory.recall.stages import Stage

memory_app = typer.Typer(help="See what is remembered, or search it.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Write JSON.")]
Tenant = Annotated[
    str | None, typer.Option(metavar="NAME", help="Whose memory. Default: RECOLLECT_TENANT.")
]


@memory_app.command()
def status(tenant: Tenant = None, as_json: AsJson = False) -> None:
    """Show what is in the memory: messages, chats, people, facts, vectors, imports."""
    settings = settings_of(tenant, None)
    found = asyncio.run(read_status(settings))
    _write(json.dumps(found, ensure_ascii=False, indent=2) if as_json else status_text(found))


@memory_app.command()
def rejected(
    tenant: Tenant = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many, at most.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List what a chat model read and no check let through, with the reason, newest first."""
    found = asyncio.run(read_rejections(settings_of(tenant, None), limit))
    if as_json:
        _write(json.dumps(found, ensure_ascii=False, indent=2))
    else:
        _write("\n".join(map(rejection_line, found)) or "Nothing was rejected.")


@memory_app.command()
def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for.")],
    contact: Annotated[
        str | None,
        typer.Option(
            "--contact", "-c", metavar="NAME", help="Who asks. Default: RECOLLECT_CONTACT, or me."
        ),
    ] = None,
    tenant: Tenant = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many messages, at most.")] = 10,
    explains: Annotated[
        bool, typer.Option("--explain", help="Show what was looked at, and what made the order.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Search as the agent does for a contact: facts and messages, the best first, with scores.

    Only what this contact may be reminded of in a direct chat is found. A contact of a channel is
    named with it: telegram:12345.
    """
    if not query.strip():
        raise typer.BadParameter("say what to look for", param_hint="QUERY")
    settings = settings_of(tenant, contact)
    searched = asyncio.run(
        search_memory(settings, settings.contact, query, limit, explains=explains)
    )
    if as_json:
        _write(json.dumps(searched.as_json(), ensure_ascii=False, indent=2))
    else:
        _write("\n".join(search_lines(searched)) or "Nothing fits.")


def settings_of(tenant: str | None, contact: str | None) -> Settings:
    """Return the settings with a tenant and a contact given on the command line."""
    from graph.settings import load_settings

    given = {"tenant": tenant, "contact": contact}
    for option, value in given.items():
        if value is not None and not value.strip():
            raise typer.BadParameter("it needs a name", param_hint=f"--{option}")
    return load_settings().model_copy(update={k: v.strip() for k, v in given.items() if v})


def contact_id_of(name: str) -> str:
    """Return a contact's id: one of a channel is named with it, others sit at this machine."""
    from memory.domain.chats import local_contact

    return name if ":" in name else local_contact(name)


async def read_status(settings: Settings) -> dict[str, Any]:  # Any: a JSON object
    """Return what a tenant's memory holds, as JSON."""
    from graph.bootstrap import open_stores
    from memory.postgres.tenants import census

    async with open_stores(settings) as stores:
        held = await census(stores.pool, settings.tenant)
        facts = await _facts_by_category(stores, settings.tenant, held.contacts)
        vectors = {
            "message": await stores.memory.vectors.count(settings.tenant, "message"),
            "knowledge": await stores.memory.vectors.count(settings.tenant, "knowledge"),
        }
        imports = await stores.memory.imports.listing(settings.tenant)
        fingerprint = stores.memory.embedder.fingerprint
        calls = await stores.memory.answers.calls_today([settings.tenant])
    capture = {
        "mode": settings.capture,
        "calls_today": calls[settings.tenant],
        "calls_a_day": settings.capture_calls,
    }
    return _status_json(settings.tenant, held, facts, vectors, fingerprint, capture, imports)


async def read_rejections(
    settings: Settings, limit: int
) -> list[dict[str, Any]]:  # Any: JSON objects
    """Return a tenant's rejections as JSON, the newest first."""
    from graph.bootstrap import open_stores

    async with open_stores(settings, projects=False) as stores:
        listed = await stores.memory.answers.rejections(settings.tenant, limit)
    return [
        {
            "at": each.at.isoformat(),
            "message": each.refusal.uid,
            "key": each.refusal.key,
            "reason": each.refusal.reason,
            "reader": each.reader,
        }
        for each in listed
    ]


def rejection_line(each: dict[str, Any]) -> str:  # Any: a JSON object
    """Return when something was rejected, why, for which key and message."""
    at = datetime.fromisoformat(each["at"]).astimezone()
    return _printable(
        f"{at:%Y-%m-%d %H:%M}  {each['reason']:<12}  {each['key'] or '-':<14}  {each['message']}"
        f"  {each['reader']}"
    )


def _status_json(
    tenant: str,
    held: Census,
    facts: dict[str, int],
    vectors: dict[str, int],
    fingerprint: str,
    capture: dict[str, Any],  # Any: a JSON object
    imports: Sequence[ImportState],
) -> dict[str, Any]:  # Any: a JSON object
    return {
        "tenant": tenant,
        "messages": dict(held.messages),
        "first": held.first.isoformat() if held.first else None,
        "last": held.last.isoformat() if held.last else None,
        "chats": held.chats,
        "contacts": len(held.contacts),
        "facts": facts,
        "vectors": vectors,
        "embedder": fingerprint,
        "capture": capture,
        "imports": [
            {
                "file": each.file_name,
                "kind": each.kind,
                "contact": each.contact_id,
                "speaker": each.speaker,
                "chats": len(each.anchors),
                "position": each.position,
                "total": each.total,
                "began": each.began_at.isoformat(),
                "finished": each.finished_at.isoformat() if each.finished_at else None,
            }
            for each in imports
        ],
    }


async def _facts_by_category(
    stores: Stores, tenant: str, contacts: Sequence[str]
) -> dict[str, int]:
    """Count active facts, contact by contact: the port knows no tenant as a whole."""
    counts: dict[str, int] = {}
    for contact in contacts:
        for fact in await stores.memory.facts.active(tenant, contact):
            counts[fact.category] = counts.get(fact.category, 0) + 1
    return dict(sorted(counts.items()))


def status_text(found: dict[str, Any]) -> str:  # Any: a JSON object
    """Return the status as lines for people."""
    messages = found["messages"]
    total = sum(messages.values())
    authors = ", ".join(f"{count:,} {author}" for author, count in messages.items())
    span = f"{found['first'][:10]} to {found['last'][:10]}" if found["first"] else "-"
    facts = ", ".join(f"{count:,} {category}" for category, count in found["facts"].items())
    vectors = found["vectors"]
    rows = [
        ("tenant", found["tenant"]),
        ("messages", f"{total:,}" + (f"  ({authors})" if authors else "")),
        ("time span", span),
        ("chats", f"{found['chats']:,}"),
        ("contacts", f"{found['contacts']:,}"),
        ("facts", f"{sum(found['facts'].values()):,}" + (f"  ({facts})" if facts else "")),
        ("vectors", f"{vectors['message']:,} of messages, {vectors['knowledge']:,} of facts"),
        ("embedder", found["embedder"]),
        ("facts by", _capture_text(found["capture"])),
        ("imports", "" if found["imports"] else "none"),
    ]
    lines = [f"{name:<10} {value}".rstrip() for name, value in rows]
    return "\n".join(_printable(line) for line in [*lines, *map(_import_line, found["imports"])])


def _capture_text(capture: dict[str, Any]) -> str:  # Any: a JSON object
    if capture["mode"] not in ("llm", "hybrid"):
        return str(capture["mode"])
    used, limit = capture["calls_today"], capture["calls_a_day"]
    spent = ": used up, rules and reader read on" if used >= limit else ""
    return f"{capture['mode']}, {used:,} of {limit:,} model calls today{spent}"


def _import_line(each: dict[str, Any]) -> str:  # Any: a JSON object
    if each["finished"]:
        state = f"finished {each['finished'][:16].replace('T', ' ')}"
    else:
        state = f"{each['position']:,} of {each['total']:,}: the same `recollect import` goes on"
    who = f"{each['contact']} is {each['speaker']}" if each["speaker"] else each["contact"]
    return f"  {each['file']}  {each['kind']}  {each['total']:,} messages  {who}  {state}"


@dataclass(frozen=True, slots=True)
class Searched:
    """What a search found, as JSON objects, and what it looked at, where that was asked for."""

    found: list[dict[str, Any]]  # Any: JSON objects
    looked_at: LookedAt | None = None
    missing: tuple[Part, ...] = ()
    stages: tuple[Stage, ...] = ()

    def as_json(self) -> Any:  # Any: JSON
        """Return what was found; with what was looked at around it, where that is known."""
        if self.looked_at is None:
            return self.found
        return {
            "looked_at": self.looked_at._asdict(),
            "stages": [stage._asdict() for stage in self.stages],
            "missing": list(self.missing),
            "found": self.found,
        }


async def search_memory(
    settings: Settings, contact: str, query: str, limit: int, *, explains: bool = False
) -> Searched:
    """Return what a contact's direct chat would recall: fitting facts, then messages."""
    from graph.bootstrap import open_stores
    from memory.recall.passages import remember
    from memory.recall.recall import Scope, recall
    from memory.recall.relevance import fits

    contact_id = contact_id_of(contact)
    async with open_stores(settings) as stores:
        scope = Scope(settings.tenant, contact_id, f"contact:{contact_id}", is_group=False)
        found = await recall(
            stores.memory,
            scope,
            query,
            stores.clock(),
            limit,
            compares_facts=True,
            by_feature=explains,
        )
        # Whoever searches sees all that was found, whatever room a prompt has.
        remembered = await remember(stores.memory, scope, found.entries, sys.maxsize)
    entries = [
        *(
            _fact_json(entry, remembered.facts[entry.item_id])
            for entry, _ in remembered.shown_facts
            if fits(entry.parts)
        ),
        *(
            _message_json(entry, remembered.messages[entry.item_id])
            for entry, _ in remembered.shown_messages
        ),
    ]
    looked_at = found.looked_at if explains else None
    return Searched(entries, looked_at, found.missing, found.stages)


def _fact_json(entry: Recalled, fact: Fact) -> dict[str, Any]:  # Any: a JSON object
    return {
        "kind": "fact",
        "at": fact.valid_from.isoformat(),
        "who": fact.contact_id,
        "text": f"{fact.key.replace('_', ' ')}: {fact.value}",
        "score": round(entry.score, 4),
        "parts": {name: round(value, 4) for name, value in entry.parts.items()},
        "id": fact.fact_id,
    }


def _message_json(entry: Recalled, stored: StoredMessage) -> dict[str, Any]:  # Any: a JSON object
    message = stored.message
    return {
        "kind": "message",
        "at": message.sent_at.isoformat(),
        "who": message.sender_name or message.contact_id,
        "chat": f"{message.chat.channel}/{message.chat.account}/{message.chat.chat_id}",
        "text": message.text,
        "score": round(entry.score, 4),
        "parts": {name: round(value, 4) for name, value in entry.parts.items()},
        "id": stored.uid,
    }


def search_lines(searched: Searched) -> list[str]:
    """Return a line for each thing found: score, when by this machine's clock, who, text.

    With what was looked at, each is followed by the parts of its score, those that count most
    first.
    """
    from memory.recall.stages import PLACE

    lines = _looked_at_lines(searched)
    for each in searched.found:
        at = datetime.fromisoformat(each["at"]).astimezone()
        who = "fact" if each["kind"] == "fact" else each["who"]
        said = _printable(f"{who}: {' '.join(each['text'].split())}")
        lines.append(f"{each['score']:.2f}  {at:%Y-%m-%d %H:%M}  {said}")
        if searched.looked_at:
            # Cosine and a model's place are told beside them: they are no part of the sum.
            beside = ("cosine", PLACE)
            adding = [part for part in each["parts"].items() if part[0] not in beside]
            parts = sorted(adding, key=lambda part: -abs(part[1]))
            told = ", ".join(f"{name} {value:+.2f}" for name, value in parts)
            place = f"; {PLACE} {each['parts'][PLACE]:.0f}" if PLACE in each["parts"] else ""
            lines.append(f"      {told}; cosine {each['parts'].get('cosine', 0.0):.2f}{place}")
    return lines


def _looked_at_lines(searched: Searched) -> list[str]:
    from memory.recall.receipts import missing_line

    seen = searched.looked_at
    if seen is None:
        return []
    told = (
        f"Looked at {seen.lines} lines: {seen.by_words} found by words, {seen.by_meaning} by"
        f" meaning, the others beside them; {seen.with_tokens} compared piece by piece."
    )
    stages = [_stage_line(stage) for stage in searched.stages if not stage.fell_back]
    return [told, *stages, *filter(None, [missing_line(searched.missing)])]


def _stage_line(stage: Stage) -> str:
    if stage.name == "reranking":
        return f"A model put {stage.lines} lines in order ({stage.ms:,.0f} ms)."
    queries = ", ".join(f"“{_printable(query)}”" for query in stage.queries) or "none"
    return f"A model's other wordings ({stage.ms:,.0f} ms): {queries}."


def _printable(text: str) -> str:
    from ui.cli.terminal import printable

    return printable(text)


def _write(text: str) -> None:
    sys.stdout.write(text.encode("utf-8", "replace").decode("utf-8") + "\n")
