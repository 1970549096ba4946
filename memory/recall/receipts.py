"""What a reply was based on, in words: a receipt's memories with their texts as they are now."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from memory.domain.chats import StoredMessage
from memory.domain.episodes import Episode
from memory.domain.facts import Fact
from memory.domain.recalls import Part, Recalled, Receipt, Used, UsedKind
from memory.facts.predicates import key_in_words
from memory.ports.bundle import Memory
from memory.recall.claimed import claimed_by_id
from memory.recall.heard import heard_by_id, of_teller
from memory.recall.noted import noted_among
from memory.recall.quotes import shown_text
from memory.recall.texts import speaker_of

_NAMES: Final[Mapping[Part, str]] = {
    "facts": "facts",
    "vectors": "search by meaning",
    "embedder": "search by meaning",
    "rewriting": "other wordings of the question",
    "reranking": "a model's order",
}


@dataclass(frozen=True, slots=True)
class Reading:
    """One memory of a prompt as people read it; `text` is empty when it cannot be shown.

    `label`: a fact's key, or who said it and when; or why there is no text. Of a fact,
    `source_uid`, `read_by` and `span` tell where it was read, and by whom. Of a message,
    `instead_of` names those that say the same, for which it stands. `used`: how much of it the
    reply used, in 0..1; None where nobody looked.
    """

    kind: UsedKind
    label: str
    text: str
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)
    source_uid: str = ""
    read_by: str = ""
    span: tuple[int, int] | None = None
    instead_of: tuple[str, ...] = ()
    used: float | None = None

    @property
    def origin(self) -> str:
        """Where a fact was read, and by whom, for people; empty where nobody recorded it."""
        if not self.read_by:
            return ""
        place = f" at {self.span[0]}-{self.span[1]}" if self.span else ""
        return f"read by {self.read_by} in {self.source_uid}{place}"


_BESIDE: Final[Mapping[str, tuple[str, str]]] = {
    "window": ("line of this chat", "lines of this chat"),
    "so_far": ("summary of what was before", "summaries of what was before"),
    "open": ("thing that is open", "things that are open"),
}


def missing_line(missing: Sequence[Part]) -> str:
    """Return what memory did without, for people; empty where that was nothing."""
    names = dict.fromkeys(_NAMES[part] for part in missing)
    return f"not at hand: {', '.join(names)}" if names else ""


def left_out_line(receipt: Receipt) -> str:
    """Return what was recalled and not shown, for people; empty where all of it was."""
    told = []
    if receipt.left_out:
        told.append(f"{receipt.left_out} more did not fit")
    if repeats := len(receipt.repeats):
        told.append(f"{repeats} more {'says' if repeats == 1 else 'say'} the same")
    return ", ".join(told)


def beside_line(receipt: Receipt) -> str:
    """Return what the model was shown beside what was recalled, for people; empty for nothing."""
    beside = receipt.use.beside if receipt.use else {}
    return ", ".join(
        f"{count} {_BESIDE[kind][count != 1]}" for kind, count in beside.items() if kind in _BESIDE
    )


def manner_line(receipt: Receipt) -> str:
    """Return how the reply was to be spoken, and what held its memory; empty where nothing was."""
    use, told = receipt.use, []
    if use and use.advice:
        told.append(f"told to speak so: {use.advice.rstrip('.')}")
    if use and use.bound is not None:
        told.append(f"memory held to {use.bound:,} tokens: nothing called for more")
    return "; ".join(told)


async def read_receipts(
    memory: Memory, tenant: str, contact_id: str, receipts: Sequence[Receipt]
) -> list[list[Reading]]:
    """Return what each of one contact's receipts names: what was used first, then what was shown.

    Of the window, of what was before it and of what is open only what was used.
    """
    entries = [entry for receipt in receipts for entry in receipt.recalled]
    uids = {
        each.item_id
        for receipt in receipts
        for each in (receipt.use.lines if receipt.use else ())
        if each.kind == "window"
    }
    found, said = await asyncio.gather(
        read_memories(memory, tenant, contact_id, entries),
        memory.ledger.messages(tenant, sorted(uids)),
    )
    lines = {stored.uid: stored for stored in said if not stored.withheld}
    readings = iter(found)
    told = []
    for receipt in receipts:
        use = receipt.use
        shown = [(e, next(readings)) for e in receipt.recalled if e.is_shown]
        if use is None:
            told.append([reading for _, reading in shown])
            continue
        read = [replace(r, used=use.share_of(e.kind, e.item_id)) for e, r in shown]
        read += [_beside(each, lines) for each in use.lines if each.kind in _BESIDE]
        told.append(sorted(read, key=lambda each: not each.used))
    return told


def _beside(used: Used, lines: Mapping[str, StoredMessage]) -> Reading:
    if used.kind != "window":
        return Reading(used.kind, _BESIDE[used.kind][0], "", used.share, used=used.share)
    stored = lines.get(used.item_id)
    if stored is None or not stored.message.text:
        return Reading("window", "erased since", "", used.share, used=used.share)
    label = f"{speaker_of(stored)}, {stored.message.sent_at:%Y-%m-%d %H:%M}"
    return Reading("window", label, stored.message.text, used.share, used=used.share)


async def read_memories(
    memory: Memory, tenant: str, contact_id: str, recalled: Sequence[Recalled]
) -> list[Reading]:
    """Return what prompts of one contact showed of what was recalled, in order."""
    shown = [entry for entry in recalled if entry.is_shown]
    if not shown:
        return []
    uids = list({entry.item_id for entry in shown if entry.kind in ("message", "quote")})
    # A fact that is closed by now was still what the reply was based on.
    history, said, over = await asyncio.gather(
        memory.outages.ask("facts", lambda: memory.facts.history(tenant, contact_id)),
        memory.ledger.messages(tenant, uids),
        memory.episodes.over(tenant, {e.item_id for e in shown if e.kind == "episode"}),
    )
    facts = None if history is None else {fact.fact_id: fact for fact in history}
    if facts is not None:
        others = {entry.item_id for entry in shown if entry.kind == "fact"} - facts.keys()
        facts |= await claimed_by_id(memory, tenant, contact_id, others)
        facts |= await noted_among(memory, tenant, others - facts.keys())
        facts |= await _heard(memory, tenant, contact_id, others - facts.keys())
    messages = {stored.uid: stored for stored in said if not stored.withheld}
    episodes = {each.first_uid: each for each in over}
    instead_of: defaultdict[str, list[str]] = defaultdict(list)
    for entry in recalled:
        if entry.repeats:
            instead_of[entry.repeats].append(entry.item_id)
    return [
        replace(
            _episode_reading(entry, episodes.get(entry.item_id))
            if entry.kind == "episode"
            else _reading(entry, facts, messages),
            instead_of=tuple(dict.fromkeys(instead_of.get(entry.item_id, ()))),
        )
        for entry in shown
    ]


async def _heard(
    memory: Memory, tenant: str, contact_id: str, ids: Collection[str]
) -> dict[str, Fact]:
    """Return what others told of themselves, by id, each under the name of who told it."""
    heard = await heard_by_id(memory, tenant, contact_id, ids)
    uids = list({fact.source_uid for fact in heard.values()})
    told = {each.uid: each for each in await memory.ledger.messages(tenant, uids)} if uids else {}
    return {
        key: of_teller(fact, speaker_of(told[fact.source_uid]))
        for key, fact in heard.items()
        if fact.source_uid in told
    }


def _episode_reading(entry: Recalled, episode: Episode | None) -> Reading:
    if episode is None or episode.summary is None:
        return Reading("episode", "erased since", "", entry.score, entry.parts)
    began, ended = f"{episode.began_at:%Y-%m-%d}", f"{episode.ended_at:%Y-%m-%d}"
    label = began if began == ended else f"{began} to {ended}"
    return Reading("episode", label, episode.summary.text, entry.score, entry.parts)


def _reading(
    entry: Recalled, facts: Mapping[str, Fact] | None, said: Mapping[str, StoredMessage]
) -> Reading:
    label, text = "erased since", ""
    if entry.kind == "fact" and facts is None:
        label = "cannot be read now"
    elif entry.kind == "fact" and facts and entry.item_id in facts:
        fact = facts[entry.item_id]
        return Reading(
            "fact",
            key_in_words(fact.key),
            fact.value,
            entry.score,
            entry.parts,
            fact.source_uid,
            fact.read_by,
            fact.span,
        )
    elif entry.kind != "fact" and entry.item_id in said:
        stored = said[entry.item_id]
        label = f"{speaker_of(stored)}, {stored.message.sent_at:%Y-%m-%d %H:%M}"
        text = shown_text(entry, stored)
    return Reading(entry.kind, label, text, entry.score, entry.parts)
