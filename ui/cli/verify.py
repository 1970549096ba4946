"""`recollect verify`: whether vectors and facts agree with the transcript."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from graph.bootstrap import Overrides, open_stores
from graph.settings import Settings
from memory.trust.verify import KINDS, Report, verify
from ui.cli.terminal import printable

_COLUMNS = ("expected", "present", *KINDS, "waiting", "set aside")


async def run_verify(
    settings: Settings, most: int, *, as_json: bool, overrides: Overrides | None = None
) -> int:
    """Write a report for each projection and tenant; return 1 where one has drifted, else 0."""
    async with open_stores(settings, overrides, projects=False) as stores:
        projections, tenants = stores.projector.projections, settings.served_tenants
        reports = [each async for each in verify(stores.memory, projections, tenants, most)]
        generations = await stores.memory.backlog.generations()
    unfinished = sorted({each.projection for each in generations if not each.is_serving})
    is_clean = all(report.is_clean for report in reports)
    if as_json:
        found = {
            "clean": is_clean,
            "projections": [_as_json(report) for report in reports],
            "unfinished_rebuilds": unfinished,
        }
        lines = [json.dumps(found, ensure_ascii=False, indent=2)]
    else:
        lines = [*_table(reports), *_lists(reports), *map(_unfinished, unfinished)]
        lines.append(_verdict(reports))
    sys.stdout.write("\n".join(lines) + "\n")
    return 0 if is_clean else 1


def _as_json(report: Report) -> dict[str, Any]:  # Any: a JSON object
    return {
        "projection": report.projection,
        "tenant": report.tenant,
        "generation": report.generation,
        "clean": report.is_clean,
        "expected": report.expected,
        "present": report.present,
        **{
            kind: {"count": report.counts[kind], "ids": report.listed.get(kind, [])}
            for kind in KINDS
        },
        "waiting": report.waiting,
        "set_aside": {
            "count": report.set_aside,
            "items": [{"item": each.item, "reason": each.reason} for each in report.failed],
        },
    }


def _table(reports: Sequence[Report]) -> list[str]:
    rows = [
        [
            report.projection,
            printable(report.tenant),
            *(
                f"{count:,}"
                for count in (
                    report.expected,
                    report.present,
                    *(report.counts[kind] for kind in KINDS),
                    report.waiting,
                    report.set_aside,
                )
            ),
        ]
        for report in reports
    ]
    table = [["projection", "tenant", *_COLUMNS], *rows]
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    return [
        "  ".join(
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]


def _lists(reports: Sequence[Report]) -> list[str]:
    """Return what differs by its ids, as many as are listed."""
    lines = []
    for report in reports:
        of_it = f"{report.projection} of {printable(report.tenant)}"
        for kind, entries in report.listed.items():
            lines += [f"{kind} in {of_it}: {printable(entry)}" for entry in entries]
        lines += [
            f"set aside in {of_it}: {printable(each.item)} ({printable(each.reason)})"
            for each in report.failed
        ]
    return lines


def _unfinished(name: str) -> str:
    return f"{name} are being made anew: if nobody does it, `recollect rebuild` goes on with it."


def _verdict(reports: Sequence[Report]) -> str:
    drifted = sorted({each.projection for each in reports if not each.is_clean})
    if drifted:
        return f"Drift in {', '.join(drifted)}: `recollect rebuild` makes them anew."
    waiting = sum(report.waiting for report in reports)
    return f"Clean; {waiting:,} still on their way." if waiting else "Clean."
