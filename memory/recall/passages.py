"""From what was recalled to the memory block: the one way by which a recalled text is read.

Prompt, API, command line and evals show what comes from here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from memory.domain.chats import Actor, StoredMessage
from memory.domain.facts import Fact
from memory.domain.recalls import Part, Recalled
from memory.ports.bundle import Memory
from memory.recall.block import FactLine, MemoryBlock, PassageLine
from memory.recall.budget import cost_of
from memory.recall.certainty import chances
from memory.recall.fact_lines import FactsTold, ended_lines
from memory.recall.questions import only_asks
from memory.recall.quotes import TOLD, shown_text
from memory.recall.recall import Scope
from memory.recall.relevance import DENSE
from memory.recall.repeats import Said, said_once
from memory.recall.texts import MAX_SPEAKER_CHARS, speaker_of, texts_of
from memory.text.apart import read_apart
from memory.text.excerpts import about, cut
from memory.text.placeholders import says_nothing
from memory.text.words import content_stems, normalise

# A recalled message and its neighbours are shown so far, in characters: one long answer beside a
# hit would otherwise fill the prompt.
MAX_PASSAGE_CHARS = 2000
MAX_NEIGHBOUR_CHARS = 240
MAX_DAYS = 5
"""Of what was said on many days so many are named beside the one that is shown."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory block with where its lines come from.

    `recalled` are the memories that are there to be read, `is_shown` telling which of them the
    block shows; `missing` is what could not be asked; `facts` and `messages` hold those memories by
    id, as they are kept, `claims` the ids of the facts that are told of others. `window` are the
    lines that stand after the block, as they are now.
    """

    block: MemoryBlock
    recalled: tuple[Recalled, ...]
    missing: tuple[Part, ...]
    facts: Mapping[str, Fact]
    messages: Mapping[str, StoredMessage]
    window: tuple[StoredMessage, ...] = ()
    claims: Collection[str] = ()

    @property
    def left_out(self) -> int:
        """How many memories did not fit the budget."""
        return sum(not (entry.is_shown or entry.repeats) for entry in self.recalled)

    @property
    def shown_facts(self) -> list[tuple[Recalled, FactLine]]:
        """The facts of the block, each with its entry."""
        return list(zip(self._shown("fact"), self.block.facts, strict=True))

    @property
    def shown_messages(self) -> list[tuple[Recalled, PassageLine]]:
        """The passages of the block, each with its entry."""
        return list(zip(self._shown("message"), self.block.passages, strict=True))

    @property
    def shown_quotes(self) -> list[tuple[Recalled, PassageLine]]:
        """The quoted lines of the block, each with its entry."""
        return list(zip(self._shown("quote"), self.block.quoted, strict=True))

    def with_chances(self, found: Sequence[Recalled]) -> MemoryBlock:
        """Return the block, each passage with the chance that it answers, each fact with closeness.

        `found`: what was recalled, with what is in reserve.
        """
        told = chances(found)
        facts = (
            replace(line, closeness=round(entry.parts.get(DENSE, 0.0), 2))
            for entry, line in self.shown_facts
        )
        passages = (
            replace(line, chance=told.get(entry.item_id, 0.0))
            for entry, line in self.shown_messages
        )
        return replace(self.block, facts=tuple(facts), passages=tuple(passages))

    def _shown(self, kind: str) -> list[Recalled]:
        return [entry for entry in self.recalled if entry.kind == kind and entry.is_shown]


async def remember(
    memory: Memory,
    scope: Scope,
    recalled: Sequence[Recalled],
    budget: int,
    window: Sequence[str] = (),
    unasked: int | None = None,
    *,
    question: str = "",
) -> Remembered:
    """Read the texts of what was recalled, as they are now, and cut them to the budget.

    Days and times are told in the scope's zone. Episodes are told with what is under way
    (`memory.recall.underway`), and are no part of this.
    What is gone by now, or withheld since, is left out altogether; of messages that say the same
    the newest is shown. Messages that come with `is_shown` False take the places that this leaves.
    `budget`: estimated tokens of the block as a prompt shows it. `window`: uids of the lines that
    stand after the block, to be read along. `unasked`: the block takes no more than this, in
    estimated tokens, beside what could harm, what is pinned, instructions, and what the owner wrote
    by hand; None for no bound. `question`: of a message that is too long the part is shown that has
    most of its words.
    """
    recalled = [entry for entry in recalled if entry.kind != "episode"]
    read = await texts_of(memory, scope, recalled, window)
    texts = read.told_in(scope.zone)
    found = texts.found
    there = [e for e in recalled if _is_there(e, texts.facts, found)]
    told = FactsTold.of([e for e in there if e.kind == "fact"], texts, is_bound=unasked is not None)
    if unasked is not None:
        budget = min(budget, unasked + told.cost_of_always)
    ended = ended_lines(texts)
    budget -= sum(map(cost_of, ended.values()))
    lines = _once([e for e in there if e.kind != "fact"], found)
    hits = [found[e.item_id] for e in lines.shown if e.kind == "message"]
    stems = content_stems(question)
    quotes = [_quoted_line(e, found[e.item_id], scope) for e in lines.shown if e.kind == "quote"]

    def fitted(hits: Sequence[StoredMessage]) -> MemoryBlock:
        return told.fitted(_passages(hits, found, lines, scope, stems), quotes, budget)

    def made() -> MemoryBlock:
        block = fitted(hits)
        kept = len(block.passages)
        # What had no room of its own may stand beside what has.
        return block if kept == len(hits) else fitted(hits[:kept])

    size = sum(len(hit.message.text) for hit in hits) + sum(len(line.text) for line in quotes)
    block = await read_apart(made, size)
    entries = (*_marked([*told.entries, *lines.shown], block), *lines.repeats)
    there_yet = {e.item_id for e in entries if e.is_shown} | set(window)
    told_here = tuple(line for (uid, _), line in ended.items() if uid in there_yet)
    return Remembered(
        replace(block, ended=told_here),
        entries,
        texts.missing,
        read.facts,
        read.found,
        texts.window,
        {*texts.claims, *texts.tellers},
    )


def _is_there(
    entry: Recalled, facts: Mapping[str, Fact], found: Mapping[str, StoredMessage]
) -> bool:
    if entry.kind == "fact":
        return entry.item_id in facts
    return entry.item_id in found and bool(shown_text(entry, found[entry.item_id]))


class _Lines(NamedTuple):
    """Messages and quotes that are shown if they fit, and messages that say what these say."""

    shown: tuple[Recalled, ...]
    repeats: tuple[Recalled, ...]


def _once(entries: Sequence[Recalled], found: Mapping[str, StoredMessage]) -> _Lines:
    """Leave out what repeats another line, and what is in reserve for more than that."""
    quotes = [e for e in entries if e.kind == "quote"]
    quoted = {e.item_id for e in quotes if TOLD not in e.parts}
    messages = {e.item_id: e for e in entries if e.kind == "message"}
    at = _places(found.values())
    said = []
    for uid in (uid for uid in messages if uid not in quoted):
        stored = found[uid]
        before = at.get((stored.message.chat.thread_id, stored.position - 1))
        said.append(Said.of(stored, before.message.text if before else ""))
    once = said_once(said)
    most = sum(e.is_shown for e in messages.values())
    kept = [messages[stored.uid] for stored in once.kept][:most]
    shown = {e.item_id for e in kept}
    instead = {uid: uid for uid in messages if uid in quoted}
    instead |= {uid: other for uid, other in once.instead.items() if other in shown}
    repeats = (replace(messages[u], is_shown=False, repeats=other) for u, other in instead.items())
    return _Lines((*quotes, *kept), tuple(repeats))


def _places(stored: Iterable[StoredMessage]) -> dict[tuple[str, int], StoredMessage]:
    return {(each.message.chat.thread_id, each.position): each for each in stored}


def _marked(recalled: Sequence[Recalled], block: MemoryBlock) -> tuple[Recalled, ...]:
    """Mark those that the block does not show: of each kind it shows the first ones."""
    room = {
        "fact": len(block.facts),
        "message": len(block.passages),
        "quote": len(block.quoted),
    }
    marked = []
    for entry in recalled:
        room[entry.kind] -= 1
        marked.append(replace(entry, is_shown=room[entry.kind] >= 0))
    return tuple(marked)


def _passages(
    hits: Sequence[StoredMessage],
    found: Mapping[str, StoredMessage],
    lines: _Lines,
    scope: Scope,
    stems: frozenset[str],
) -> tuple[PassageLine, ...]:
    """Return messages with their neighbours, each text once: a neighbour with the best of them.

    What is a passage of its own stands beside none, nor does what says nothing, such as [Media]. A
    question that was asked again and again stands beside the best line alone.
    """
    at = _places(found.values())
    told = {hit.uid for hit in hits}
    texts = {normalise(hit.message.text) for hit in hits}

    def beside(hit: StoredMessage, step: int) -> str:
        stored = at.get((hit.message.chat.thread_id, hit.position + step))
        if stored is None or not stored.message.text or stored.uid in told:
            return ""
        if stored.message.anchor != hit.message.anchor:
            return ""  # Somebody else's: nobody is told what another said in private.
        same = normalise(stored.message.text)
        if says_nothing(stored.message.text) or (same in texts and only_asks(stored.message.text)):
            return ""
        told.add(stored.uid)
        texts.add(same)
        line = _line(stored, scope)
        return f"{line.speaker}: {cut(line.text, MAX_NEIGHBOUR_CHARS)}"

    return tuple(
        replace(
            _line(hit, scope, stems),
            before=beside(hit, -1),
            after=beside(hit, 1),
            also=_also(hit, [found[e.item_id] for e in lines.repeats if e.repeats == hit.uid]),
        )
        for hit in hits
    )


def _also(hit: StoredMessage, repeats: Sequence[StoredMessage]) -> str:
    """Return the other days on which the same was said, in order; the last of many."""
    days = {each.message.sent_at.date() for each in repeats} - {hit.message.sent_at.date()}
    return ", ".join(day.isoformat() for day in sorted(days)[-MAX_DAYS:])


def _quoted_line(entry: Recalled, stored: StoredMessage, scope: Scope) -> PassageLine:
    quote = stored.message.quote
    if TOLD not in entry.parts or quote is None:
        return _line(stored, scope)
    return PassageLine(
        speaker=cut(quote.sender_id or "quoted", MAX_SPEAKER_CHARS),
        text=cut(quote.text, MAX_PASSAGE_CHARS),
    )


def _line(stored: StoredMessage, scope: Scope, stems: frozenset[str] = frozenset()) -> PassageLine:
    """Return a message as a line, the asker named as in the chat where they ask.

    An imported chat knows the asker by another name: without this the asker would be quoted to
    themselves as somebody else.
    """
    said = stored.message
    by_asker = said.actor is Actor.CONTACT and said.contact_id == scope.contact_id
    name = scope.name if by_asker and not scope.is_group else ""
    return PassageLine(
        when=said.sent_at.strftime("%Y-%m-%d %H:%M"),
        speaker=cut(name, MAX_SPEAKER_CHARS) or speaker_of(stored),
        text=about(said.text, stems, MAX_PASSAGE_CHARS),
        by_asker=by_asker,
    )
