"""What a check comes to."""

from __future__ import annotations

import re
from dataclasses import dataclass

TAGS = re.compile(r"</?\s*(?:memory|quoted)\s*>", re.IGNORECASE)
"""The tags that fence quoted text in a prompt; nobody else may write them."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A text after a check, and what was found: names of rules, in no order."""

    text: str
    findings: frozenset[str] = frozenset()
