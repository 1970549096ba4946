"""What a tenant's memory holds, in figures: `recollect memory status`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ui.cli.terminal import printable

if TYPE_CHECKING:
    from graph.settings import Settings
    from graph.stores import Stores
    from memory.domain.imports import ImportState
    from memory.domain.notes import Note
    from memory.postgres.tenants import Census


async def read_status(settings: Settings) -> dict[str, Any]:  # Any: a JSON object
    """Return what a tenant's memory holds, as JSON."""
    from graph.bootstrap import open_stores
    from memory.postgres.tenants import census

    async with open_stores(settings) as stores:
        held = await census(stores.pool, settings.tenant)
        facts = await _facts_by_category(stores, settings.tenant, held.contacts)
        notes = await stores.memory.notes.every(settings.tenant)
        vectors = {
            "message": await stores.memory.vectors.count(settings.tenant, "message"),
            "knowledge": await stores.memory.vectors.count(settings.tenant, "knowledge"),
            "episode": await stores.memory.vectors.count(settings.tenant, "episode"),
        }
        imports = await stores.memory.imports.listing(settings.tenant)
        fingerprint = stores.memory.embedder.fingerprint
        calls = await stores.memory.answers.calls_today([settings.tenant])
    capture = {
        "mode": settings.capture,
        "calls_today": calls[settings.tenant],
        "calls_a_day": settings.capture_calls,
    }
    found = _status_json(settings.tenant, held, facts, vectors, fingerprint, capture, imports)
    return {**found, "kinds": _by_kind(held, facts, notes)}


def _by_kind(
    held: Census, facts: dict[str, int], notes: Sequence[Note]
) -> dict[str, dict[str, Any]]:  # Any: a JSON object
    """Count by kind of memory: what was said, what is known, and what was written by hand."""
    from memory.domain.notes import SCOPES

    instructions = facts.get("instruction", 0)
    known = {"semantic": sum(facts.values()) - instructions, "procedural": instructions}
    return {
        kind: {
            "scope": scope,
            "messages": sum(held.messages.values()) if kind == "episodic" else 0,
            "facts": known.get(kind, 0),
            "notes": sum(note.kind == kind for note in notes),
        }
        for kind, scope in SCOPES.items()
    }


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
        *[(kind, _kind_text(each)) for kind, each in found["kinds"].items()],
        (
            "vectors",
            f"{vectors['message']:,} of messages, {vectors['knowledge']:,} of facts,"
            f" {vectors['episode']:,} of episodes",
        ),
        ("embedder", found["embedder"]),
        ("facts by", _capture_text(found["capture"])),
        ("imports", "" if found["imports"] else "none"),
    ]
    lines = [f"{name:<10} {value}".rstrip() for name, value in rows]
    return "\n".join(printable(line) for line in [*lines, *map(_import_line, found["imports"])])


def _kind_text(each: dict[str, Any]) -> str:  # Any: a JSON object
    counted = [f"{each[what]:,} {what}" for what in ("messages", "facts", "notes") if each[what]]
    return f"by {each['scope']}: {', '.join(counted) or '0'}"


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
