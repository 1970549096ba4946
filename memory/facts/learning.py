"""What a contact's messages tell (W4), by rules and by a reader that marks values."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from memory.domain.chats import READ_CHARS, Actor, Message, StoredMessage
from memory.domain.facts import Observation
from memory.domain.readings import NOTHING_READ, Earlier, Excerpt, Heard, Reading, Span
from memory.facts.expiry import joined, told_for_a_while, with_ends
from memory.facts.reading.deciding import BY_BOTH, BY_READER, decide
from memory.facts.reading.kinds import kinds_in
from memory.facts.reading.mending import MAX_LINES, may_correct, mended, retold, worth_reading
from memory.facts.reading.orders import said_outright
from memory.facts.reading.parts import parts_of
from memory.facts.reading.rules import extract
from memory.policy.addressed import WISH, families_of
from memory.ports.ledger import Ledger
from memory.ports.reading import FactReader, SpanReader
from memory.text.apart import read_apart
from memory.text.words import QUOTED, STOP_WORDS, has_question_mark

RULES_VERSION: Final = "rules/9"

SHORT_WORDS: Final = 15
"""Up to so many words a message may answer the turn before it."""

FRAGMENT_WORDS: Final = (3, 8)
"""With so many words it may go on from the turn before it, whatever that was; fewer only react."""


@dataclass(frozen=True, slots=True)
class Learner(FactReader):
    """Reads by rules, and by a span reader where there is one."""

    spans: SpanReader | None = None

    @property
    def version(self) -> str:
        """Rules and weights: facts read by others are to be read again."""
        return f"{RULES_VERSION}+{self.spans.version}" if self.spans else RULES_VERSION

    async def read(self, messages: Sequence[Heard]) -> list[Reading]:
        """Return what each message tells, in order.

        Forwarded text is no statement of its sender (X6). Only who may instruct the agent may tell
        it how to behave from now on. Of anybody else, what is addressed to the machine tells
        nothing, not even what stands beside it; a wish for the answers to come spoils nothing
        (N10). What puts right what was said just before tells that, too.
        """
        readings = await self._read(messages)
        for at, heard in enumerate(messages):
            if (lines := retold(heard)) and may_teach(heard.message):
                again = [
                    Heard(replace(e.earlier.message, text=e.text), zone=heard.zone) for e in lines
                ]
                read = await self._read(again)
                whole = mended(readings[at], heard, lines, read, RULES_VERSION)
                readings[at] = _placed(whole, heard.message.text)
        return readings

    async def _read(self, messages: Sequence[Heard]) -> list[Reading]:
        """Return what each message tells by itself."""
        messages = [_outright(each) for each in messages]
        size = sum(len(each.message.text) for each in messages)
        ruled = await read_apart(lambda: [_by_rules(each.message) for each in messages], size)
        told = [at for at, found in enumerate(ruled) if found is not None]
        if self.spans is None:
            return [
                self._traced(
                    Reading(tuple(found or ()), kinds=kinds_in((), found or ())),
                    heard,
                    teaches=found is not None,
                )
                for found, heard in zip(ruled, messages, strict=True)
            ]
        marked = await _marked(self.spans, [messages[at] for at in told])
        readings = [NOTHING_READ] * len(messages)
        for at, spans in zip(told, marked, strict=True):
            message = messages[at].message
            before = messages[at].before
            reading = decide(message, ruled[at] or (), spans, self.spans.threshold, before)
            kinds = kinds_in(spans, reading.observations)
            readings[at] = self._traced(replace(reading, kinds=kinds), messages[at])
        return readings

    async def reread(self, messages: Sequence[Heard]) -> list[Reading]:
        """Return what each message tells: what runs here says the same each time."""
        return await self.read(messages)

    async def close(self) -> None:
        """Nothing is under way."""

    def _traced(self, reading: Reading, heard: Heard, *, teaches: bool = True) -> Reading:
        """Return a reading whose observations tell who read them, where in the text, and till when.

        With what is so for a while only.
        """
        message, text = heard.message, heard.message.text
        versions = {BY_READER: self.spans.version, BY_BOTH: self.version} if self.spans else {}
        observations = tuple(
            replace(
                seen,
                read_by=versions.get(seen.read_by, RULES_VERSION),
                span=seen.span or place_of(seen.value, text),
            )
            for seen in reading.observations
        )
        if teaches:
            also = told_for_a_while(
                text,
                source_uid=message.uid,
                stated_at=message.sent_at,
                anchor=message.anchor,
                zone=heard.zone,
            )
            observations = joined(
                observations, [replace(each, read_by=RULES_VERSION) for each in also]
            )
        return replace(reading, observations=with_ends(observations, text, heard.zone))


def _outright(heard: Heard) -> Heard:
    text = said_outright(heard.message.text)
    return (
        heard
        if text is heard.message.text
        else replace(heard, message=replace(heard.message, text=text))
    )


def _placed(reading: Reading, text: str) -> Reading:
    """Return a reading whose observations and kinds agree, and tell where in the text they are."""
    observations = tuple(
        replace(seen, span=seen.span or place_of(seen.value, text)) for seen in reading.observations
    )
    kinds = {**reading.kinds, **kinds_in((), observations)}
    return replace(reading, observations=observations, kinds=kinds)


def place_of(value: str, text: str) -> tuple[int, int] | None:
    """Return where a text holds a value, whatever the case and the blanks between its words."""
    words = value.split()
    found = re.search(r"\s+".join(map(re.escape, words)), text, re.IGNORECASE) if words else None
    return found.span() if found else None


async def read_stored(
    reader: FactReader,
    ledger: Ledger,
    tenant: str,
    messages: Sequence[Message],
    *,
    again: bool = False,
) -> list[Reading]:
    """Read messages of the ledger, the short ones with the turn before each.

    Those that may correct their sender's last lines are read with what these tell. `again`: by what
    was found out before, without asking anybody.
    """
    heard = await _with_turns(ledger, tenant, messages)
    correcting = [e.uid for e in messages if may_correct(e.text) and may_teach(e)]
    if correcting:
        texts = {each.uid: each.text for each in messages}
        lines = {
            uid: _worth_reading(texts[uid], some)
            for uid, some in (await ledger.own_lines(tenant, correcting)).items()
        }
        said = {each.uid: each.in_full for some in lines.values() for each in some}
        told = await _with_turns(ledger, tenant, list(said.values()))
        tells = dict(zip(said, await reader.reread(told) if told else (), strict=True))
        by_uid = {each.message.uid: each for each in told}
        earlier = {
            uid: await _in_turn(reader, [by_uid[each.uid] for each in some], tells)
            for uid, some in lines.items()
        }
        heard = [replace(e, earlier=earlier.get(e.message.uid, ())) for e in heard]
    return await (reader.reread(heard) if again else reader.read(heard))


async def correcting_after(
    ledger: Ledger, tenant: str, changed: Sequence[str], known: Collection[str] = ()
) -> list[StoredMessage]:
    """Return what may correct messages that were edited or deleted, but for what is `known`."""
    lines = await ledger.own_lines(tenant, changed, after=True) if changed else {}
    uids = {
        line.uid
        for some in lines.values()
        for line in some
        if line.uid not in known and may_teach(line.in_full) and may_correct(line.in_full.text)
    }
    return await ledger.settled(tenant, sorted(uids)) if uids else []


async def _with_turns(ledger: Ledger, tenant: str, messages: Sequence[Message]) -> list[Heard]:
    """Return messages, the short ones with the turn before each."""
    short = [message.uid for message in messages if is_short(message.text)]
    before = await ledger.before(tenant, short) if short else {}
    return [Heard(each, before.get(each.uid, "")) for each in messages]


def _worth_reading(text: str, lines: Sequence[StoredMessage]) -> list[StoredMessage]:
    worth = worth_reading(text, [line.in_full.text for line in lines])
    return [line for line, is_worth in zip(lines, worth, strict=True) if is_worth][-MAX_LINES:]


async def _in_turn(
    reader: FactReader, lines: Sequence[Heard], tells: Mapping[str, Reading]
) -> tuple[Earlier, ...]:
    """Return what lines tell, each that may correct one before it read with those."""
    told: list[Earlier] = []
    for each in lines:
        reading = tells[each.message.uid]
        if told and may_correct(each.message.text):
            (reading,) = await reader.reread([replace(each, earlier=tuple(told))])
        told.append(Earlier(each.message, reading.observations))
    return tuple(told)


def may_teach(message: Message) -> bool:
    """Tell whether anything that a message says may become a fact; see `Learner.read`."""
    is_said = message.actor is Actor.CONTACT and not message.forwarded and not message.withheld
    if not is_said or not message.teaches or not message.text.strip():
        return False
    return message.is_owner or not families_of(message.text) - {WISH}


async def _marked(spans: SpanReader, messages: Sequence[Heard]) -> list[list[Span]]:
    """Return each message's spans; long ones are read part by part, as far as indexes see them."""
    parts = [
        (row, start, Excerpt(part, before_of(heard)))
        for row, heard in enumerate(messages)
        for start, part in parts_of(heard.message.text[:READ_CHARS])
    ]
    found: list[list[Span]] = [[] for _ in messages]
    read = await spans.read([excerpt for _, _, excerpt in parts])
    for (row, start, _), marked in zip(parts, read, strict=True):
        found[row] += [replace(s, start=s.start + start, end=s.end + start) for s in marked]
    return found


def before_of(heard: Heard) -> str:
    """Return the turn before a message where it may answer that, or go on from it.

    Without what that quotes: beside the agent's "you said: ..." the reader takes what is told next
    for nobody's.
    """
    words, before = len(heard.message.text.split()), QUOTED.sub("", heard.before).strip()
    least, most = FRAGMENT_WORDS
    is_due = words <= SHORT_WORDS and _expects_more(before)
    return before if is_due or least <= words <= most else ""


def _expects_more(text: str) -> bool:
    """Tell whether a turn asks, or breaks off: "my name is"."""
    last = text.split()[-1:]
    return has_question_mark(text) or bool(last and last[0].casefold() in STOP_WORDS)


def is_short(text: str) -> bool:
    """Tell whether a text may answer the turn before it, or go on from there."""
    return len(text.split()) <= SHORT_WORDS


def _by_rules(message: Message) -> tuple[Observation, ...] | None:
    """Return what rules find; None for a message that may tell nothing at all."""
    if not may_teach(message):
        return None
    observations = extract(
        message.text,
        source_uid=message.uid,
        stated_at=message.sent_at,
        anchor=message.anchor,
    )
    return tuple(o for o in observations if message.is_owner or o.category != "instruction")
