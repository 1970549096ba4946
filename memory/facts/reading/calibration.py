"""A network's confidence as a chance: how often spans of its kind were right. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from memory.domain.readings import Span

_LEAST = 1e-6


@dataclass(frozen=True, slots=True)
class Calibration:
    """Logistic in the confidence's log odds, with a shift for each key.

    Source: Platt, Probabilistic Outputs for Support Vector Machines (1999).
    """

    slope: float = 1.0
    shift: float = 0.0
    by_key: Mapping[str, float] = field(default_factory=dict)

    def of(self, span: Span) -> Span:
        """Return the span with the chance that it is right, to the hundredth."""
        odds = self.slope * log_odds(span.confidence) + self.shift + self.by_key.get(span.key, 0.0)
        chance = 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))
        return replace(span, confidence=round(chance, 2))


def log_odds(confidence: float) -> float:
    """Return the logarithm of a confidence's odds, bounded."""
    held = min(max(confidence, _LEAST), 1 - _LEAST)
    return math.log(held / (1 - held))
