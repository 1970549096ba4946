"""`--require`: thresholds that a run must meet, such as `frac@10>=0.65` or `bm25:mrr<=0.5`."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evals.errors import BadInputError

PRODUCT = "recollect"

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "==": operator.eq,
}
_FORM = re.compile(
    r"\s*(?:(?P<system>[\w.-]+):)?(?P<metric>[\w@.-]+?)\s*(?P<sign>>=|<=|==|>|<)\s*(?P<value>\S+)\s*"
)


@dataclass(frozen=True, slots=True)
class Requirement:
    """One threshold on one metric of one system; the product's own where none is named."""

    text: str
    system: str
    metric: str
    sign: str
    value: float

    def shortfall(self, figures: Mapping[str, Mapping[str, float | None]]) -> str | None:
        """Return what was not met and by how much; None when it was met."""
        measured = figures.get(self.system, {}).get(self.metric)
        name = f"{self.system}:{self.metric}"
        if measured is None:
            return f"{self.text}: {name} was not measured; {self._known(figures)}"
        if _COMPARE[self.sign](measured, self.value):
            return None
        return f"{self.text}: {name} is {measured:.4g}, off by {abs(measured - self.value):.4g}"

    def _known(self, figures: Mapping[str, Mapping[str, float | None]]) -> str:
        if self.system not in figures:
            return f"the run had the systems {', '.join(figures) or 'none'}"
        known = [name for name, value in figures[self.system].items() if value is not None]
        return f"{self.system} has {', '.join(known) or 'no figure'}"


def parse_requirements(texts: Sequence[str]) -> list[Requirement]:
    """Read requirements.

    Raises:
        BadInputError: one is not of the form `[SYSTEM:]METRIC>=VALUE`.
    """
    found = []
    for text in texts:
        match = _FORM.fullmatch(text)
        value = _number(match["value"]) if match else None
        if match is None or value is None:
            raise BadInputError(
                f"--require {text!r}: expected [SYSTEM:]METRIC>=VALUE, as 'mrr>=0.5'"
            )
        found.append(
            Requirement(
                text.strip(), match["system"] or PRODUCT, match["metric"], match["sign"], value
            )
        )
    return found


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return None if math.isnan(value) else value
