"""The memory block: what was recalled, as the lines that a prompt shows. Pure.

Its text is JSON, a line each, with `<` escaped, so that no recalled text can close a fence around
it. `read_block` is the inverse of `block_text`, which shows two digits of chances.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from memory.text.zones import zone_of


@dataclass(frozen=True, slots=True)
class FactLine:
    """A fact as the prompt shows it. `said` is the sentence that it was read from.

    `by_owner`: the owner wrote it by hand, as a note or an instruction. `told_by`: who else told it
    of themselves where the asker heard it, on the day `when`; both empty for what the asker told.
    `closeness`: its cosine to the question; 0 where it is not told.
    """

    key: str = ""
    value: str = ""
    said: str = ""
    by_owner: bool = False
    told_by: str = ""
    when: str = ""
    closeness: float = 0.0


@dataclass(frozen=True, slots=True)
class PassageLine:
    """An earlier message as the prompt shows it. `before` and `after` are its neighbours.

    `by_asker`: it was written by the person who is asking. `also`: further days on which the same
    was said. `chance`: how likely it is, in 0..1, that of what was found this line answers; 0 where
    it is not told.
    """

    when: str = ""
    speaker: str = ""
    text: str = ""
    before: str = ""
    after: str = ""
    by_asker: bool = False
    also: str = ""
    chance: float = 0.0


@dataclass(frozen=True, slots=True)
class EndedLine:
    """A fact that holds no more, told by a line of the prompt: `said`, the sentence.

    `until`: the day on which it ended, as 2026-05-03; empty where nobody knows.
    """

    key: str = ""
    value: str = ""
    until: str = ""
    said: str = ""


class More(NamedTuple):
    """So many further facts of a key."""

    key: str
    facts: int


class AsksFor(NamedTuple):
    """A kind of fact that may be asked for, and the chance that any is."""

    kind: str
    chance: float


@dataclass(frozen=True, slots=True)
class MemoryBlock:
    """Everything recalled for one prompt, in text; of each kind the best first.

    `now`: when it is asked, as `moment_of` writes it; `writer`: the name under which whoever asks
    writes; empty where nobody says.
    `more`: how many facts, of a kind that was asked for, are known and not shown. `certainty`: how
    likely it is, in 0..1, that a passage answers; None where nobody can tell. `episodes`: stretches
    of chats, summed up, that are near to what is asked. `so_far`: what this chat was about before
    its window; `open`: what is open in it. `ended`: what lines of the prompt told and has ended.
    `asks_for`: which facts of who asks are asked for, and whether a recap; None where nobody can
    tell.
    """

    facts: tuple[FactLine, ...] = ()
    passages: tuple[PassageLine, ...] = ()
    quoted: tuple[PassageLine, ...] = ()
    certainty: float | None = None
    so_far: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    more: tuple[More, ...] = ()
    episodes: tuple[str, ...] = ()
    ended: tuple[EndedLine, ...] = ()
    asks_for: tuple[AsksFor, ...] | None = None
    now: str = ""
    writer: str = ""


def moment_of(now: datetime, zone: str = "") -> str:
    """Return a moment as a block has it: `Sunday 2026-11-29 10:20 (Europe/Berlin)`.

    `zone`: that of who asks; where it is empty, or none that is known, UTC.
    """
    known = zone_of(zone)
    return f"{now.astimezone(known or UTC):%A %Y-%m-%d %H:%M} ({zone if known else 'UTC'})"


def read_moment(text: str) -> datetime | None:
    """Return the moment that `moment_of` wrote, by the clock of its zone; None of anything else."""
    try:
        return datetime.strptime(" ".join(text.split()[1:3]), "%Y-%m-%d %H:%M")
    except ValueError:
        return None


def asks_for_of(asked: Mapping[str, float] | None) -> tuple[AsksFor, ...] | None:
    """Return what is asked for as a block has it."""
    return None if asked is None else tuple(AsksFor(*each) for each in asked.items())


def line_text(line: FactLine | PassageLine | EndedLine) -> str:
    """Return a line as JSON on one line, without its empty fields."""
    # Not `asdict`, which copies: a prompt's lines are measured several times.
    shown = {name: value for name in line.__slots__ if (value := getattr(line, name))}
    return _escaped(shown)


def more_text(more: Sequence[More]) -> str:
    """Return what is not shown, as a JSON object of counts by key."""
    return _escaped(dict(more))


def block_text(block: MemoryBlock) -> str:
    """Return the block as JSON."""
    asked = "".join(
        f'"{name}": {_escaped(value)},\n'
        for name, value in (("now", block.now), ("writer", block.writer))
        if value
    )
    certainty = "" if block.certainty is None else f'"certainty": {block.certainty:.2f},\n'
    asks_for = "" if block.asks_for is None else f'"asks_for": {_chances(block.asks_for)},\n'
    chat = "".join(
        f'"{name}": {_escaped(lines)},\n'
        for name, lines in (
            ("episodes", block.episodes),
            ("so_far", block.so_far),
            ("open", block.open),
        )
        if lines
    )
    more = f'"more_facts_not_shown": {more_text(block.more)},\n' if block.more else ""
    ended = f'"no_longer": {_list(block.ended)},\n' if block.ended else ""
    return (
        f'{{{asked}{certainty}{asks_for}{chat}"facts": {_list(block.facts)},\n{more}{ended}'
        f'"passages": {_list(block.passages)},\n'
        f'"quoted": {_list(block.quoted)}}}'
    )


def read_block(text: str) -> MemoryBlock:
    """Read what `block_text` wrote."""
    data = json.loads(text)
    return MemoryBlock(
        facts=tuple(FactLine(**line) for line in data["facts"]),
        passages=tuple(PassageLine(**line) for line in data["passages"]),
        quoted=tuple(PassageLine(**line) for line in data["quoted"]),
        now=data.get("now", ""),
        writer=data.get("writer", ""),
        certainty=data.get("certainty"),
        so_far=tuple(data.get("so_far", ())),
        open=tuple(data.get("open", ())),
        episodes=tuple(data.get("episodes", ())),
        ended=tuple(EndedLine(**line) for line in data.get("no_longer", ())),
        more=tuple(More(*each) for each in data.get("more_facts_not_shown", {}).items()),
        asks_for=(
            tuple(AsksFor(*each) for each in data["asks_for"].items())
            if "asks_for" in data
            else None
        ),
    )


def _chances(asks_for: Sequence[AsksFor]) -> str:
    return json.dumps({kind: round(chance, 2) for kind, chance in asks_for})


def _list(lines: Sequence[FactLine | PassageLine | EndedLine]) -> str:
    return "[" + ",".join(f"\n{line_text(line)}" for line in lines) + "]"


def _escaped(value: object) -> str:
    """Return JSON that closes no fence."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")
