"""Statements of one verb about several things: `I'm allergic to nuts and kiwi`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memory.facts.reading.rules.clauses import Clause
from memory.facts.reading.rules.found import Found
from memory.facts.reading.rules.phrases import nouns

_MAX_WORDS = 3


class ListRule(NamedTuple):
    """What a clause states, or takes back, of each thing that follows the pattern."""

    key: str
    pattern: re.Pattern[str]
    retracts: bool = False


def listed(clause: Clause, rules: Sequence[ListRule]) -> Iterator[Found]:
    """Yield what the first rule that fits finds; irony spares allergies alone."""
    for key, pattern, retracts in rules:
        if (match := pattern.match(clause.text)) and not (clause.is_sarcastic and key != "allergy"):
            for value in nouns(clause.text, match.end(), _MAX_WORDS):
                yield Found(key, value, retracts=retracts)
            return
