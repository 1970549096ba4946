"""What of a prompt may answer: recalled and quoted lines, what facts were read from, the window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import zip_longest
from typing import Final, Literal, NamedTuple

from graph.models.offline.words import shorten
from memory.recall.block import FactLine, MemoryBlock, PassageLine
from memory.recall.questions import is_first_person
from memory.text.words import normalise

ASKER, AGENT, OTHER = range(3)
"""Who wrote it; the order in which frames tell them."""
MAX_NAME_CHARS: Final = 40
# How a passage names the contact where the channel gave no name.
_UNNAMED: Final = frozenset({"contact", "me", "user", "you"})


class Source(NamedTuple):
    """A line of a prompt: of which list, and its number there, from 0."""

    kind: Literal["fact", "message", "quote", "window", "episode", "so_far"]
    number: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text that may answer.

    `speaker` is the name that it stands under, `around` are its neighbours, `place` is where it
    stands among what was recalled, from 0. `of_fact`: a fact was read from it. `reply` is what
    somebody else said next, where the text ends with a question: `replier` did, or the asker if
    nobody is named. `source` is the line of the prompt that it stands in. `chance`: how likely it
    is, in 0..1, that of what was recalled this answers; 0 where nobody can tell.
    """

    text: str
    author: int = ASKER
    when: datetime | None = None
    speaker: str = ""
    around: str = ""
    place: int = 0
    of_fact: bool = False
    reply: str = ""
    replier: str = ""
    source: Source | None = None
    chance: float = 0.0

    @property
    def is_other_person(self) -> bool:
        """Whether somebody else than the asker and the agent wrote it."""
        return self.author == OTHER


def candidates(
    memory: MemoryBlock,
    asker: str = "",
    earlier: Sequence[str] = (),
    places: Sequence[int] = (),
) -> list[Candidate]:
    """Return what may be quoted: recalled and quoted messages, the facts' sources, the window.

    Args:
        memory: What was recalled, of each kind the best first.
        asker: The asker's name before a group's line, else empty.
        earlier: The asker's lines of the window.
        places: Their numbers there; none where nobody asks.
    """
    own_names = {normalise(asker)} | {
        normalise(fact.value) for fact in memory.facts if fact.key in ("name", "preferred_name")
    }
    own_names.discard("")
    lines = (*memory.passages, *memory.quoted)
    sources = [Source("message", n) for n in range(len(memory.passages))]
    sources += [Source("quote", n) for n in range(len(memory.quoted))]
    shown = [
        replace(_from_line(line, own_names, place), source=sources[place], chance=line.chance)
        for place, line in enumerate(lines)
    ]
    last = len(shown)
    said = [_from_fact(fact, last, n) for n, fact in enumerate(memory.facts) if fact.said]
    window = [Source("window", number) for number in places]
    heard = zip_longest(earlier, window)
    return [*shown, *said, *(Candidate(t, place=last, source=source) for t, source in heard)]


def without_others_reply(candidate: Candidate) -> Candidate:
    """Return a candidate without a reply in which somebody else speaks of themself."""
    if not candidate.replier or not is_first_person(candidate.reply):
        return candidate
    return replace(candidate, reply="", replier="")


def _from_line(line: PassageLine, own_names: set[str], place: int) -> Candidate:
    speaker = normalise(line.speaker)
    around = f"{line.before} {line.after}"
    when = _time(line.when)
    if speaker == "agent":
        return Candidate(line.text, AGENT, when, "", around, place)
    reply, replier = _reply_to(line, own_names)
    is_own = line.by_asker or speaker in _UNNAMED or speaker in own_names
    author = ASKER if is_own else OTHER
    name = line.speaker if is_own else shorten(line.speaker, MAX_NAME_CHARS)
    return Candidate(line.text, author, when, name, around, place, reply=reply, replier=replier)


def _from_fact(fact: FactLine, place: int, number: int) -> Candidate:
    return Candidate(
        fact.said,
        OTHER if fact.told_by else ASKER,
        _time(fact.when),
        shorten(fact.told_by, MAX_NAME_CHARS),
        around=f"{fact.key} {fact.value}",
        place=place,
        of_fact=True,
        source=Source("fact", number),
    )


def _reply_to(line: PassageLine, own_names: set[str]) -> tuple[str, str]:
    """Return what another person said right after a question, and who; the agent is none."""
    name, separator, text = line.after.partition(": ")
    speaker = normalise(name)
    is_question = line.text.rstrip().endswith("?")
    if not (is_question and separator) or speaker in ("agent", normalise(line.speaker)):
        return "", ""
    is_own = speaker in _UNNAMED or speaker in own_names
    return text, "" if is_own else shorten(name, MAX_NAME_CHARS)


def _time(when: str) -> datetime | None:
    try:
        return datetime.fromisoformat(when)
    except ValueError:
        return None
