"""`recollect memory`: what is remembered, in figures, and a search through it."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from memory.domain.notes import MemoryScope
from ui.cli.whom import contact_id_of, contact_of

if TYPE_CHECKING:
    from graph.settings import Settings
    from graph.stores import Stores
    from memory.domain.recalls import Part
    from memory.recall.recall import LookedAt
    from memory.recall.searching import EpisodeHit, FactHit, MessageHit
    from memory.recall.stages import Stage

ORDER: Final = (
    "A score counts only among its own kind: facts by how far they fit, then messages, then"
    " episodes."
)

memory_app = typer.Typer(help="See what is remembered, or search it.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Write JSON.")]
Tenant = Annotated[
    str | None, typer.Option(metavar="NAME", help="Whose memory. Default: RECOLLECT_TENANT.")
]


@memory_app.command()
def status(tenant: Tenant = None, as_json: AsJson = False) -> None:
    """Show what is in the memory: messages, chats, people, facts, vectors, imports."""
    from ui.cli.memory_status import read_status, status_text

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
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many of a kind, at most.")] = 10,
    scope: Annotated[
        MemoryScope | None,
        typer.Option(
            "--scope",
            help="Only what is kept by chat (messages), contact (facts) or tenant (house notes).",
        ),
    ] = None,
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
        search_memory(settings, settings.contact, query, limit, explains=explains, scope=scope)
    )
    if as_json:
        _write(json.dumps(searched.as_json(), ensure_ascii=False, indent=2))
    else:
        _write("\n".join(search_lines(searched)))


def settings_of(tenant: str | None, contact: str | None) -> Settings:
    """Return the settings with a tenant and a contact given on the command line.

    Whoever is not named sits at this machine; a name that is typed may be an id (`contact_of`).
    """
    from graph.settings import load_settings

    given = {"tenant": tenant, "contact": contact}
    for option, value in given.items():
        if value is not None and not value.strip():
            raise typer.BadParameter("it needs a name", param_hint=f"--{option}")
    settings = load_settings()
    update = {"contact": contact_id_of(settings.contact)}
    return settings.model_copy(update=update | {k: v.strip() for k, v in given.items() if v})


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
    settings: Settings,
    contact: str,
    query: str,
    limit: int,
    *,
    explains: bool = False,
    scope: MemoryScope | None = None,
) -> Searched:
    """Open the stores and search, as `search_on` does."""
    from graph.bootstrap import open_stores

    async with open_stores(settings) as stores:
        return await search_on(stores, contact, query, limit, explains=explains, scope=scope)


async def search_on(
    stores: Stores,
    contact: str,
    query: str,
    limit: int,
    *,
    explains: bool = False,
    scope: MemoryScope | None = None,
) -> Searched:
    """Return what a contact's direct chat would recall: facts and notes, messages, episodes.

    Of each kind the best first, `limit` at most. `scope`: only what is kept by that.
    """
    from memory.recall.searching import search

    contact_id, tenant = await contact_of(stores, contact), stores.settings.tenant
    found = await search(
        stores.memory, tenant, contact_id, query, stores.clock(), limit, by_feature=explains
    )
    entries = [
        *map(_fact_json, found.facts),
        *map(_message_json, found.messages),
        *map(_episode_json, found.episodes),
    ]
    entries = [each for each in entries if scope in (None, each["scope"])]
    looked_at = found.looked_at if explains else None
    return Searched(entries, looked_at, found.missing, found.stages)


def _fact_json(hit: FactHit) -> dict[str, Any]:  # Any: a JSON object
    from memory.facts.notebook import kind_of

    return {
        "kind": "note" if hit.note else "fact",
        "memory": hit.note.kind if hit.note else kind_of(hit.fact),
        "scope": hit.note.scope if hit.note else "contact",
        "at": hit.fact.valid_from.isoformat(),
        "who": hit.fact.contact_id,
        "text": hit.text,
        **_weighed(hit),
        "id": hit.fact.fact_id,
    }


def _message_json(hit: MessageHit) -> dict[str, Any]:  # Any: a JSON object
    message = hit.stored.message
    return {
        "kind": "message",
        "memory": "episodic",
        "scope": "chat",
        "at": message.sent_at.isoformat(),
        "who": message.sender_name or message.contact_id,
        "chat": f"{message.chat.channel}/{message.chat.account}/{message.chat.chat_id}",
        "text": message.text,
        **_weighed(hit),
        "id": hit.stored.uid,
    }


def _episode_json(hit: EpisodeHit) -> dict[str, Any]:  # Any: a JSON object
    return {
        "kind": "episode",
        "memory": "episodic",
        "scope": "chat",
        "at": hit.episode.began_at.isoformat(),
        "text": hit.summary.text,
        **_weighed(hit),
        "id": hit.episode.first_uid,
    }


def _weighed(hit: FactHit | MessageHit | EpisodeHit) -> dict[str, Any]:  # Any: JSON
    parts = {name: round(value, 4) for name, value in hit.parts.items()}
    return {"score": round(hit.score, 4), "parts": parts}


def search_lines(searched: Searched) -> list[str]:
    """Return a line for each thing found: score, when by this machine's clock, who, text.

    Before them what was not at hand, and "Nothing fits." in place of none. With what was looked at,
    each is followed by the parts of its score, those that count most first.
    """
    from memory.recall.receipts import missing_line
    from memory.recall.score_words import score_words
    from memory.recall.stages import PLACE

    lines = [*_looked_at_lines(searched), *filter(None, [missing_line(searched.missing)])]
    if not searched.found:
        lines.append("Nothing fits.")
    for each in searched.found:
        at = datetime.fromisoformat(each["at"]).astimezone()
        who = each["who"] if each["kind"] == "message" else each["kind"]
        said = _printable(f"{who}: {' '.join(each['text'].split())}")
        lines.append(f"{each['score']:.2f}  {at:%Y-%m-%d %H:%M}  {said}")
        if searched.looked_at:
            # Cosine and a model's place are told beside them: they are no part of the sum.
            beside = ("cosine", PLACE)
            adding = [part for part in each["parts"].items() if part[0] not in beside]
            parts = sorted(adding, key=lambda part: -abs(part[1]))
            told = [", ".join(f"{name} {value:+.2f}" for name, value in parts)] if parts else []
            if "cosine" in each["parts"]:
                told.append(f"cosine {each['parts']['cosine']:.2f}")
            if PLACE in each["parts"]:
                told.append(f"{PLACE} {each['parts'][PLACE]:.0f}")
            lines.append(f"      {'; '.join(told)}")
    parts = [name for each in searched.found for name in each["parts"]]
    if searched.looked_at and parts:
        lines += [ORDER, score_words(parts)]
    return lines


def _looked_at_lines(searched: Searched) -> list[str]:
    seen = searched.looked_at
    if seen is None:
        return []
    told = (
        f"Looked at {seen.lines} lines: {seen.by_words} found by words, {seen.by_meaning} by"
        f" meaning, the others beside them; {seen.with_tokens} compared piece by piece."
    )
    stages = [_stage_line(stage) for stage in searched.stages if not stage.fell_back]
    return [told, *stages]


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
