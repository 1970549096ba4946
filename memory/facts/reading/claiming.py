"""What a message claims of others: the reader's marks, with rules as a second opinion. Pure.

A mark of somebody else's that the reader is not sure of counts where the rules, asked of the clause
as its subject would say it of themselves, find the same. An age right behind a name is theirs, and
so is what a name is said to be or to have turned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from memory.domain.chats import Message
from memory.domain.facts import Observation
from memory.domain.readings import Span, ThirdPartyClaim
from memory.facts.reading.holders import PEOPLE_KEYS, holder_of
from memory.facts.reading.rules import extract
from memory.facts.reading.rules.others import Clause, age_behind, in_first_person, named_ages
from memory.facts.slots import ANY_VALUE, overlap

CLAIMED: Final = 0.8
"""The confidence of what is claimed of somebody."""
AGREED: Final = 0.3
"""The confidence from which a mark of somebody else's counts where the rules find the same."""
_BEINGS: Final = PEOPLE_KEYS | {"pet"}


@dataclass(frozen=True, slots=True)
class Said:
    """A span as a value of a key of the vocabulary."""

    key: str
    value: str
    span: Span


def claims_in(
    message: Message, said: Sequence[Said], spans: Sequence[Span], threshold: float
) -> tuple[ThirdPartyClaim, ...]:
    """Return what a message claims of others, each once.

    `said`: what the reader marked in the words `spans`, sure or not; `threshold`: from where on it
    is to be believed.
    """
    others = [e for e in said if e.span.status == "other" and e.span.confidence >= AGREED]
    clauses = list(in_first_person(message.text)) if others else []
    claimed = {
        each.span.start: claim
        for each in others
        if (claim := _claim(message, each, spans, threshold, clauses)) is not None
    }
    for each in said:
        is_stated = each.span.status == "stated" and each.span.confidence >= threshold
        aged = _aged(message, each.span) if is_stated and each.key in _BEINGS else None
        if aged is not None:
            claimed.setdefault(*aged)
    for name, age in named_ages(message.text):
        told = _told(message, message.text[name], "age", message.text[age])
        claimed.setdefault(age.start, told)
    return tuple(claimed.values())


def _claim(
    message: Message,
    said: Said,
    spans: Sequence[Span],
    threshold: float,
    clauses: Sequence[Clause],
) -> ThirdPartyClaim | None:
    agreeing = [
        rule
        for rule in _by_rules(message, said.span, clauses)
        if rule.key == said.key and (rule.value == ANY_VALUE or overlap(rule.value, said.value))
    ]
    if said.span.confidence < threshold and not agreeing:
        return None
    holder = holder_of(message.text, said.span, spans)
    if not holder:
        return None
    told = _told(message, holder, said.key, said.value)
    return replace(told, has_ended=any(rule.retracts for rule in agreeing))


def _aged(message: Message, named: Span) -> tuple[int, ThirdPartyClaim] | None:
    """Return the age that stands right behind somebody's name, and where: "Leo (6)"."""
    at = age_behind(message.text, named.end)
    name = message.text[named.start : named.end]
    if at is None or not name[:1].isupper():
        return None
    return at[0], _told(message, name, "age", message.text[at[0] : at[1]])


def _told(message: Message, holder: str, key: str, value: str) -> ThirdPartyClaim:
    return ThirdPartyClaim(
        holder=holder,
        key=key,
        value=value,
        confidence=CLAIMED,
        source_uid=message.uid,
        stated_at=message.sent_at,
        anchor=message.anchor,
    )


def _by_rules(message: Message, span: Span, clauses: Sequence[Clause]) -> list[Observation]:
    """Return what the rules find in the clause about somebody else in which a mark stands."""
    around = [each for each in clauses if each.start <= span.start and span.end <= each.end]
    if not around:
        return []
    return extract(
        around[-1].text,
        source_uid=message.uid,
        stated_at=message.sent_at,
        anchor=message.anchor,
    )
