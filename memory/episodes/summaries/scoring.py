"""What speaks for keeping a clause, and how much of what matters it is likely to hold. Pure."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from memory.domain.episodes import Spoken
from memory.episodes.summaries import cues, marks
from memory.episodes.summaries.clauses import Clause

_ANSWER_WITHIN: Final = 3
"""Messages after a question in which its answer is looked for."""
_BEFORE: Final = 12
"""Clauses before a correction among which what it puts right is looked for."""
_LONG: Final = 40  # words of a message


class Evidence(NamedTuple):
    """What is known of a clause."""

    numbers: float
    money: float
    times: float
    numerals: float
    names: float
    decides: float
    promises: float
    corrects: float
    hedges: float
    chats: float
    own: float
    you: float
    asks: float
    is_open: float
    wonders: float
    due: float
    answers: float
    proposal: float
    agent: float
    long_message: float
    agent_long: float
    central: float
    rare: float
    stems: float
    words: float
    short: float
    first: float
    last: float
    late: float
    place: float
    opening: float
    link: float
    read: float
    bias: float


class Weights(NamedTuple):
    """How much evidence speaks for a clause: in all messages, and what is added in long ones."""

    everywhere: Evidence
    in_long: Evidence


class Weighed(NamedTuple):
    """A clause with its evidence. `is_open`: nobody answered it; `is_past`: it was put right."""

    clause: Clause
    evidence: Evidence
    is_open: bool
    is_past: bool


class _Stretch(NamedTuple):
    """What the messages around a clause tell of it.

    `spread`: in how many messages a stem is, `usual` the logarithm of the most. `replies`: what
    somebody else says to each message next. `read`: uids of the messages of which facts were read.
    """

    said: Sequence[Spoken]
    spread: Mapping[str, int]
    usual: float
    replies: Sequence[str]
    read: Collection[str]


def weigh(
    said: Sequence[Spoken], clauses: Sequence[Clause], read: Collection[str]
) -> list[Weighed]:
    """Describe each clause. `read`: uids of the messages of which facts were read."""
    spread = Counter(stem for stems in _by_message(clauses) for stem in stems)
    usual = math.log1p(max(spread.values(), default=1))
    stretch = _Stretch(said, spread, usual, _replies(said), read)
    past = _put_right(said, clauses)
    found = []
    for at, clause in enumerate(clauses):
        if not cues.is_empty(clause.text):
            evidence = _evidence(clause, stretch)
            found.append(Weighed(clause, evidence, bool(evidence.is_open), at in past))
    return found


def _evidence(clause: Clause, stretch: _Stretch) -> Evidence:
    said, text, asks = stretch.said, clause.text, clause.asks
    message, reply = said[clause.message], stretch.replies[clause.message]
    long = len(message.text) > _LONG * 6
    shared = [math.log(stretch.spread[stem]) for stem in clause.stems]
    return Evidence(
        numbers=min(len(marks.NUMBER.findall(text)), 3),
        money=bool(marks.MONEY.search(text)),
        times=min(len(marks.TIMES.findall(text)), 2),
        numerals=bool(marks.NUMERAL.search(text)),
        names=min(len(marks.NAME.findall(text)), 3),
        decides=bool(cues.DECIDES.search(text)),
        promises=bool(cues.PROMISES.search(text)),
        corrects=bool(cues.CORRECTS.search(text)),
        hedges=bool(cues.HEDGES.search(text)),
        chats=bool(cues.CHATS.search(text)),
        own=bool(cues.SELF.search(text)),
        you=bool(cues.YOU.search(text)),
        asks=asks,
        is_open=asks and not message.is_agent and (not reply or bool(cues.UNKNOWN.search(reply))),
        wonders=not asks and bool(cues.WONDERS.search(text)),
        due=bool(marks.DUE.search(text)),
        answers=clause.message > 0 and _asks(said[clause.message - 1], message),
        proposal=bool(reply and cues.AGREES.match(reply)),
        agent=message.is_agent,
        long_message=long and not message.is_agent,
        agent_long=long and message.is_agent,
        central=math.fsum(shared) / (stretch.usual * (len(shared) + 1)),
        rare=sum(each == 0 for each in shared) / (len(shared) + 1),
        stems=math.log1p(len(shared)),
        words=math.log1p(clause.words),
        short=clause.words < 4,
        first=clause.message == 0,
        last=clause.message == len(said) - 1,
        late=clause.message / max(len(said) - 1, 1),
        place=math.log1p(clause.place),
        opening=clause.place == 0,
        link=bool(marks.LINK.search(text)),
        read=message.uid in stretch.read,
        bias=1.0,
    )


def _by_message(clauses: Sequence[Clause]) -> list[set[str]]:
    found: dict[int, set[str]] = {}
    for clause in clauses:
        found.setdefault(clause.message, set()).update(clause.stems)
    return list(found.values())


def _asks(before: Spoken, message: Spoken) -> bool:
    return before.speaker != message.speaker and "?" in before.text[-8:]


def _replies(said: Sequence[Spoken]) -> list[str]:
    """Return for each message what somebody else says to it next; empty where nobody does."""
    replies = []
    for at, message in enumerate(said):
        after = said[at + 1 : at + 1 + _ANSWER_WITHIN]
        replies.append(next((one.text for one in after if one.speaker != message.speaker), ""))
    return replies


_KINDS: Final = (marks.TIMES, marks.MONEY, marks.NUMBER)


def _put_right(said: Sequence[Spoken], clauses: Sequence[Clause]) -> set[int]:
    """Return which clauses a later one puts right: of the same things, another like value."""
    past: set[int] = set()
    for at, clause in enumerate(clauses):
        if not cues.CORRECTS.search(clause.text):
            continue
        kinds = [kind for kind in _KINDS if kind.search(clause.text)]
        if not kinds:
            continue
        for earlier in range(at - 1, max(at - _BEFORE, 0) - 1, -1):
            other = clauses[earlier]
            if earlier in past or other.asks or said[other.message].is_agent:
                continue
            if other.stems & clause.stems and _differs(kinds, other.text, clause.text):
                past.add(earlier)
                break
    return past


def _differs(kinds: Sequence[re.Pattern[str]], one: str, other: str) -> bool:
    for kind in kinds:
        ones = {found.group().casefold() for found in kind.finditer(one)}
        others = {found.group().casefold() for found in kind.finditer(other)}
        if ones and others and not ones & others:
            return True
    return False
