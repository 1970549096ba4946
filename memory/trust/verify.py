"""Whether each projection agrees with the ledger (X4): nothing missing, extra or stale.

It may run while messages come and go. What a projection still owes is on its way and no drift; what
differs at first sight is looked at again, since it may have come meanwhile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Final

from memory.domain.drift import Compared, Difference, DriftKind
from memory.domain.projections import ProjectionName, SetAside
from memory.ports.bundle import Memory
from memory.ports.projections import Projection

KINDS: Final[tuple[DriftKind, ...]] = ("missing", "extra", "stale")
_MOST_SET_ASIDE: Final = 100_000


@dataclass(slots=True)
class Report:
    """What a projection holds of a tenant beside what it should hold.

    `counts` are entries by kind of drift, `listed` the first ids of each kind. `waiting` counts
    items that are still to be taken in, `set_aside` those that failed for good.
    """

    projection: ProjectionName
    tenant: str
    generation: int
    expected: int = 0
    present: int = 0
    waiting: int = 0
    set_aside: int = 0
    counts: Counter[DriftKind] = field(default_factory=Counter)
    listed: dict[DriftKind, list[str]] = field(default_factory=dict)
    failed: list[SetAside] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        """Whether everything is as the ledger says, or on its way."""
        return not self.counts and not self.set_aside


async def verify(
    memory: Memory, projections: Sequence[Projection], tenants: Sequence[str], most: int
) -> AsyncGenerator[Report]:
    """Yield a report for each projection and tenant, with at most `most` ids of each kind.

    Raises:
        StoreUnavailable: a store does not answer.
    """
    serving = {
        each.projection: each.number
        for each in await memory.backlog.generations()
        if each.is_serving
    }
    for tenant in tenants:
        failed = await memory.backlog.aside([tenant], _MOST_SET_ASIDE)
        arrears = await memory.backlog.arrears([tenant])
        for projection in projections:
            name = projection.name
            report = Report(name, tenant, serving[name])
            report.waiting = arrears[name].waiting
            report.set_aside = arrears[name].set_aside
            of_it = [each for each in failed if each.projection == name]
            report.failed = of_it[:most]
            await _compare(memory, projection, report, {each.item for each in of_it}, most)
            yield report


async def _compare(
    memory: Memory, projection: Projection, report: Report, aside: set[str], most: int
) -> None:
    for part in await projection.parts(report.tenant):
        first = await projection.compare(report.tenant, report.generation, part)
        report.expected += first.expected
        report.present += first.present
        differences = await _settled(memory, report, first)
        if differences:
            again = await projection.compare(report.tenant, report.generation, part)
            differences &= await _settled(memory, report, again)
        for each in sorted(differences, key=lambda each: (each.kind, each.entry)):
            if aside.isdisjoint(each.items):
                report.counts[each.kind] += 1
                listed = report.listed.setdefault(each.kind, [])
                if len(listed) < most:
                    listed.append(each.entry)


async def _settled(memory: Memory, report: Report, compared: Compared) -> frozenset[Difference]:
    """Return those of the differences that are not on their way."""
    found = compared.differences
    items = sorted({item for each in found for item in each.items})
    if not items:
        return found
    owed = await memory.backlog.owed(report.projection, report.generation, report.tenant, items)
    if owed and compared.is_one:
        return frozenset()
    return frozenset(each for each in found if owed.isdisjoint(each.items))
