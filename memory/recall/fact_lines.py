"""Facts as lines of a prompt: what holds, with the sentence that told it; what is over. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory.domain.facts import BY_PERSON, Fact
from memory.domain.notes import NOTE
from memory.facts.predicates import STANDING
from memory.recall.block import EndedLine, FactLine
from memory.recall.budget import MAX_VALUE_CHARS
from memory.recall.claimed import told_on, told_until
from memory.recall.relevance import is_always
from memory.recall.texts import Texts
from memory.text.excerpts import cut, sentence_with
from memory.text.words import content_stems

MAX_SAID_CHARS: Final = 240
"""So much is shown of the sentence that a fact was read from."""
MAX_ENDED: Final = 5
"""Of so many facts that lines of a prompt told it is said that they have ended."""


def fact_lines_of(facts: Sequence[Fact], texts: Texts) -> tuple[FactLine, ...]:
    """Return the facts, the sentence that several were read from with the first of them."""
    told: set[tuple[str, str]] = set()
    lines = []
    for fact in facts:
        source = texts.found.get(fact.source_uid)
        said = sentence_with(source.message.text, fact.value, MAX_SAID_CHARS) if source else ""
        value = told_on(fact) if fact.fact_id in texts.claims else told_until(fact)
        once = "" if (fact.source_uid, said) in told else said
        teller = texts.tellers.get(fact.fact_id, "")
        when = f"{fact.valid_from:%Y-%m-%d}" if teller else ""
        lines.append(FactLine(fact.key, value, once, _is_owners(fact), teller, when))
        told.add((fact.source_uid, said))
    return tuple(lines)


def ended_lines(texts: Texts) -> dict[tuple[str, str], EndedLine]:
    """Return what lines told and has ended, by message and fact, the latest first."""
    latest = sorted(texts.over, key=lambda fact: fact.valid_from, reverse=True)
    lines: dict[tuple[str, str], EndedLine] = {}
    for fact in latest:
        source = texts.found.get(fact.source_uid)
        text = source.message.text if source else ""
        # What was taken back since is told by no sentence.
        if content_stems(fact.value) & content_stems(text) and len(lines) < MAX_ENDED:
            said = sentence_with(text, fact.value, MAX_SAID_CHARS)
            until = fact.valid_to.date().isoformat() if fact.valid_to else ""
            value = cut(fact.value, MAX_VALUE_CHARS)
            lines[fact.source_uid, fact.fact_id] = EndedLine(fact.key, value, until, said)
    return lines


def is_held(fact: Fact) -> bool:
    """Tell whether a fact is shown whatever the stage, or is an instruction."""
    return is_always(fact) or fact.key == STANDING or _is_owners(fact)


def _is_owners(fact: Fact) -> bool:
    """Tell whether the owner wrote it by hand as a note or an instruction."""
    return fact.key in (NOTE, STANDING) and fact.read_by == BY_PERSON
