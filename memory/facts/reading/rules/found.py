"""What a rule finds in a clause, before it is dated and sourced."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from memory.facts.slots import ANY_VALUE

# Source: SPEC L3, where 0.9 and above is an explicit statement.
STATED: Final = 0.95
IMPLIED: Final = 0.8
LOOSE: Final = 0.6

I_AM: Final = r"(?:i'?m|i am|we'?re|we are)"
SURELY: Final = (
    r"(?:\s+(?:really|absolutely|totally|just|also|still|actually|currently|now|so|both))*"
)


@dataclass(frozen=True, slots=True)
class Found:
    """A value of a key, or with `retracts` its end. Confidence in 0..1."""

    key: str
    value: str = ANY_VALUE
    confidence: float = STATED
    retracts: bool = False


def rule(pattern: str) -> re.Pattern[str]:
    """Compile a pattern that is matched at the start of a clause, whatever its case."""
    return re.compile(pattern, re.IGNORECASE)
