"""Results of benchmarks as HTML: one with its worst cases, or what changed between two. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from evals.reports.texts import excerpt

if TYPE_CHECKING:
    from evals.reports.changed_items import ChangedItem, ChangedItems
    from evals.reports.comparison import Change, Comparison
    from evals.reports.page.view import Page, Table
    from evals.reports.page.worst import Sought, WorstCase
    from evals.reports.saved import SavedFailure, SavedViolation
    from evals.reports.thresholds import Threshold
    from evals.suite.run import Texts

NOTHING_YET = (
    "<p class='rc-nothing'>No result is open. <code>recollect eval recall --json before.json</code>"
    " writes one; drop it above to see its figures and its worst cases. Change something, run it"
    " again with <code>--json after.json</code>, and drop both: then what got better or worse is"
    " shown, by figure and by case, and whether it is noise. A result holds ids and no texts; the"
    " texts come from the suite's own cases, or from case files that you drop beside it.</p>"
)
MOST_CHANGED = 20
"""Items that got better, and as many that got worse."""
_FOUND = 3
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Side:
    """One of two results: its letter, file, version and time, in words."""

    letter: str
    file: str
    told: str


def notice_html(text: str) -> str:
    """Return one sentence of what is wrong."""
    return f"<p class='rc-notice' role='alert'>{escape(text)}</p>"


def result_html(page: Page, file: str, thresholds: Sequence[Threshold], *, has_texts: bool) -> str:
    """Return one result: what it asks, its figures beside what they had to be, its worst cases."""
    parts = [
        f"<h2 class='rc-evals-title'>{escape(page.suite)} <small>{escape(page.asks)}</small></h2>",
        f"<p class='rc-evals-soft'>{escape(page.subtitle)} · {_bdi(file)}</p>",
    ]
    if page.partial:
        parts.append(_note("Partial: it was stopped early, and its figures cover what was done."))
    parts += [_note(one) for one in page.notes]
    parts += [_note(f"{name} was skipped: {reason}") for name, reason in page.skipped]
    parts.append(_headlines(page))
    parts.append(_thresholds(thresholds))
    parts.append(_figures(page.metrics))
    parts.append(_failed(page.failed))
    parts.append(_violations(page.violations))
    parts.append(_worst(page, has_texts=has_texts))
    return f"<div class='rc-evals-result'>{''.join(parts)}</div>"


def comparison_html(
    suite: str,
    sides: tuple[Side, Side],
    result: Comparison,
    items: ChangedItems,
    texts: Texts,
    notes: tuple[Sequence[str], Sequence[str]],
    words: tuple[Callable[[float | None], str], Callable[[float | None], str]],
) -> str:
    """Return what changed from the first result to the second.

    `notes`: warnings, and what has to be known of the intervals. `words`: how a figure, and how a
    difference is written.
    """
    warnings, footnotes = notes
    told = "".join(
        f"<li><b>{side.letter}</b> {_bdi(side.file)} <small>{escape(side.told)}</small></li>"
        for side in sides
    )
    parts = [
        f"<h2 class='rc-evals-title'>{escape(suite)}, from A to B</h2>",
        f"<ul class='rc-evals-sides'>{told}</ul>",
        "".join(map(_note, warnings)),
        _summary(result, items),
        _changes("By figure", "metric", result.metrics, words),
    ]
    cases = {
        name: change
        for name, changes in result.by.get("case", {}).items()
        if (change := _changed(changes)) is not None
    }
    if cases:
        parts.append(_changes("By case", "case", cases, words))
    parts.append(_items("Worse", items.worse, texts, words[0]))
    parts.append(_items("Better", items.better, texts, words[0]))
    parts += [f"<p class='rc-evals-soft'>{escape(line)}</p>" for line in footnotes]
    return f"<div class='rc-evals-result'>{''.join(parts)}</div>"


def _changed(changes: Mapping[str, Change]) -> Change | None:
    """Return the first figure of a case that is another one now."""
    return next((one for one in changes.values() if one.difference), None)


def _summary(result: Comparison, items: ChangedItems) -> str:
    verdicts = [change.verdict for change in result.metrics.values()]
    better, worse = verdicts.count("better"), verdicts.count("worse")
    told = f"{_counted(better, 'figure')} better, {_counted(worse, 'figure')} worse"
    if result.matched:
        told += f"; {len(items.better):,} scores of single cases better, {len(items.worse):,} worse"
        told += f", {items.same:,} the same"
    mark = " rc-evals-worse" if worse else ""
    return f"<p class='rc-evals-summary{mark}' role='status'>{escape(told)}.</p>"


def _headlines(page: Page) -> str:
    cards = "".join(
        f"<li><span>{escape(one.metric)}</span><b>{escape(one.value)}</b>"
        f"<small>{escape(one.says)}</small></li>"
        for one in page.headlines
    )
    return f"<ul class='rc-evals-cards'>{cards}</ul>" if cards else _note("Nothing was measured.")


def _thresholds(thresholds: Sequence[Threshold]) -> str:
    if not thresholds:
        return ""
    rows = "".join(
        f"<li>{'Missed' if one.shortfall else 'Met'}: {escape(one.system)} {escape(one.metric)}"
        f" {escape(one.text)}{escape(_off(one.shortfall))}</li>"
        for one in thresholds
    )
    missed = " rc-evals-missed" if any(one.shortfall for one in thresholds) else ""
    return f"<h3>What it had to meet</h3><ul class='rc-evals-wanted{missed}'>{rows}</ul>"


def _off(shortfall: str) -> str:
    return f" ({shortfall.partition(': ')[2]})" if shortfall else ""


def _figures(table: Table) -> str:
    if not table.rows:
        return ""
    heads = "".join(f"<th scope='col'>{escape(name)}</th>" for name in table.columns)
    rows = "".join(
        f"<tr><th scope='row'>{escape(row.head)}<small>{escape(row.says)}</small></th>"
        + "".join(
            f"<td>{f'<b>{escape(cell.text)}</b>' if cell.is_best else escape(cell.text)}</td>"
            for cell in row.cells
        )
        + "</tr>"
        for row in table.rows
    )
    return _scrolled(table.caption, f"<th scope='col'>{escape(table.corner)}</th>{heads}", rows)


def _changes(
    caption: str,
    corner: str,
    changes: Mapping[str, Change],
    words: tuple[Callable[[float | None], str], Callable[[float | None], str]],
) -> str:
    shown, signed = words
    rows = "".join(
        f"<tr><th scope='row'>{_bdi(name)}</th><td>{shown(one.a)}</td><td>{shown(one.b)}</td>"
        f"<td>{signed(one.difference)}</td>"
        f"<td class='rc-evals-{one.verdict.replace(' ', '-')}'>{escape(one.verdict)}</td>"
        f"<td>{_interval(one, signed)}</td></tr>"
        for name, one in changes.items()
        if (one.a, one.b) != (None, None)
    )
    names = (corner, "A", "B", "B − A", "verdict", "95 % interval")
    heads = "".join(f"<th scope='col'>{name}</th>" for name in names)
    return _scrolled(caption, heads, rows)


def _interval(change: Change, signed: Callable[[float | None], str]) -> str:
    if change.interval is None:
        return ""
    return f"{signed(change.interval.low)} to {signed(change.interval.high)}"


def _items(
    title: str, items: Sequence[ChangedItem], texts: Texts, shown: Callable[[float | None], str]
) -> str:
    if not items:
        return ""
    rows = "".join(
        f"<li><p dir='auto'>{escape(_cut(texts.items.get((one.case, one.item), one.item)))}</p>"
        f"<small>{_bdi(one.case)} · {escape(one.metric)} {shown(one.a)} → {shown(one.b)}</small>"
        "</li>"
        for one in items[:MOST_CHANGED]
    )
    more = f", the first {MOST_CHANGED} of {len(items):,}" if len(items) > MOST_CHANGED else ""
    return f"<h3>{title}{more}</h3><ul class='rc-evals-list'>{rows}</ul>"


def _worst(page: Page, *, has_texts: bool) -> str:
    if not page.worst:
        return ""
    hint = ""
    if not has_texts:
        hint = _note(
            "Ids stand for texts: drop the case files (.jsonl) that ran beside the result."
        )
    cases = "".join(_case(one, page.came) for one in page.worst)
    title = f"Worst cases, by {escape(page.worst_by)}"
    return f"<h3>{title}</h3>{hint}<ol class='rc-evals-list'>{cases}</ol>"


def _case(one: WorstCase, came: str) -> str:
    groups = "".join(f" · {escape(name)} {_bdi(value)}" for name, value in one.groups)
    sought = "".join(map(_sought, one.sought))
    found = "".join(
        f"<li>{hit.rank}. {_bdi(_cut(hit.text))}{' (looked for)' * hit.is_evidence}</li>"
        for hit in one.recalled[:_FOUND]
    )
    looked = f"<p>Looked for:</p><ul>{sought}</ul>" if sought else ""
    instead = f"<p>{escape(came)}:</p><ul>{found}</ul>" if found else ""
    inner = f"{looked}{instead}"
    more = f"<details><summary>What came of it</summary>{inner}</details>" if inner else ""
    return (
        f"<li><p dir='auto'>{escape(_cut(one.text))}</p><small>{escape(one.score)} ·"
        f" {_bdi(one.case)}{groups}</small>{more}</li>"
    )


def _sought(one: Sought) -> str:
    return f"<li>{_bdi(_cut(one.text))} <small>{escape(one.place)}</small></li>"


def _failed(failed: Sequence[SavedFailure]) -> str:
    if not failed:
        return ""
    rows = "".join(
        f"<li>{_bdi(one.case)} <small>{escape(one.system)}: {_bdi(_cut(one.reason))}</small></li>"
        for one in failed[:MOST_CHANGED]
    )
    return f"<h3>{len(failed):,} failed</h3><ul class='rc-evals-list'>{rows}</ul>"


def _violations(violations: Sequence[SavedViolation]) -> str:
    if not violations:
        return ""
    rows = "".join(
        f"<li>{_bdi(one.case)} <small>{_bdi(_cut('; '.join(one.what)))}</small></li>"
        for one in violations[:MOST_CHANGED]
    )
    return f"<h3>{len(violations):,} violations</h3><ul class='rc-evals-list'>{rows}</ul>"


def _scrolled(caption: str, heads: str, rows: str) -> str:
    return (
        f"<div class='rc-evals-scroll' role='region' tabindex='0' aria-label='{escape(caption)}'>"
        f"<table class='rc-evals-table'><caption>{escape(caption)}</caption>"
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _note(text: str) -> str:
    return f"<p class='rc-evals-note' role='note'>{escape(text)}</p>"


def _bdi(text: str) -> str:
    return f"<bdi>{escape(text)}</bdi>"


def _cut(text: str) -> str:
    return excerpt(text, _LONGEST)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun if number == 1 else noun + 's'}"
