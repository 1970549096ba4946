"""Eval results: what `recollect eval SUITE --json FILE` wrote, opened, and two of them compared."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr
from gradio.components import Component

from memory.errors import RecollectError
from ui.playground.parts import CONCURRENT_TURNS
from ui.playground.views.evals_html import (
    NOTHING_YET,
    Side,
    comparison_html,
    notice_html,
    result_html,
)

if TYPE_CHECKING:
    from evals.reports.saved import SavedResult
    from evals.suite.run import Texts

MOST_BYTES = 100_000_000
"""Of one file; a result of a hundred thousand items has a third of it."""
CASES = ".jsonl"

Shown = list[Any]  # Any: one value for each component that is shown anew, in their order


class Evals:
    """Results of benchmarks; they are about nobody who is listed."""

    name = "evals"
    title = "Eval results"

    def draw(self, contact: gr.State) -> list[Component]:
        """Put the files' place and what is in them on the page."""
        del contact
        opened = gr.State([])
        files = gr.File(
            label="Drop one result (.json), or two to compare",
            file_count="multiple",
            height=170,
            elem_id="rc-evals-files",
            elem_classes="rc-drop",
        )
        close = gr.Button("Close", visible=False, elem_id="rc-evals-close")
        told = gr.HTML(NOTHING_YET, elem_id="rc-evals")
        shown: Any = [files, opened, told, close]
        quiet: dict[str, Any] = {  # Any: options of Gradio's events
            "show_progress": "hidden",
            "concurrency_limit": CONCURRENT_TURNS,
        }
        files.upload(self.dropped, [files, opened], shown, **quiet)
        close.click(self.closed, None, shown, **quiet)
        return []

    async def show(self, contact_id: str) -> Shown:
        """Return nothing new: what is open stays open."""
        del contact_id
        return []

    async def dropped(self, files: list[str] | None, opened: list[str]) -> Shown:
        """Open files beside what is open; of more than two results the last two stay.

        Outputs: the files' place, empty again; what is open; what is in it; the way to close it.
        """
        new, before = files or [], [Path(each) for each in opened]
        paths = kept(before, [Path(each) for each in new])
        try:
            html = await asyncio.to_thread(opened_html, paths)
        except RecollectError as error:
            said = str(error)
            for path in paths:
                said = said.replace(str(path), path.name)
            rest = await asyncio.to_thread(opened_html, before) if before else ""
            return [None, opened, notice_html(said) + rest, gr.update(visible=bool(before))]
        return [None, [str(path) for path in paths], html, gr.update(visible=True)]

    async def closed(self) -> Shown:
        """Close what is open. Outputs: those of `dropped`."""
        return [None, [], NOTHING_YET, gr.update(visible=False)]


def kept(before: Sequence[Path], new: Sequence[Path]) -> list[Path]:
    """Return what is open after a drop: the last two results, unless more came at once."""
    results = [path for path in new if path.suffix != CASES]
    room = max(2 - len(results), 0)
    old = [path for path in before if path.suffix != CASES]
    cases = [path for path in (*before, *new) if path.suffix == CASES]
    return [*old[len(old) - min(room, len(old)) :], *results, *cases]


def opened_html(files: Sequence[Path]) -> str:
    """Return what is in files: results, and the case files with their texts.

    Raises:
        RecollectError: one of them is no such file, or they cannot be shown together.
    """
    from evals.errors import BadInputError

    results = [path for path in files if path.suffix != CASES]
    cases = [path for path in files if path.suffix == CASES]
    if not results:
        raise BadInputError("These are case files: drop the result (.json) that came of them, too.")
    if len(results) > 2:
        raise BadInputError(f"{len(results)} results at once: one is shown, or two are compared.")
    read = [_read(path) for path in results]
    if len(read) == 1:
        return _one(read[0], results[0].name, cases)
    return _two(read, [path.name for path in results], cases)


def _read(path: Path) -> SavedResult:
    # Numbers, tables and all suites come with it: they are imported by whoever opens a result.
    from evals.errors import BadInputError
    from evals.reports.saved import read_result

    if path.stat().st_size > MOST_BYTES:
        raise BadInputError(f"{path}: larger than {MOST_BYTES // 1_000_000} MB")
    return read_result(path)


def _one(result: SavedResult, name: str, cases: Sequence[Path]) -> str:
    from evals.reports.page.view import view_of
    from evals.reports.thresholds import thresholds_of

    texts = _texts(result, cases)
    page = view_of(result, texts)
    return result_html(page, name, thresholds_of(result), has_texts=bool(texts.items))


def _two(read: Sequence[SavedResult], names: Sequence[str], cases: Sequence[Path]) -> str:
    from evals.reports.bootstrap import SAMPLES
    from evals.reports.changed_items import changed_items
    from evals.reports.comparison import compare
    from evals.reports.meanings import shown
    from evals.reports.pairing import (
        check_suites,
        footnotes,
        signed,
        systems_to_compare,
        warnings_of,
    )

    # The earlier run is A, in whatever order they were dropped.
    ordered = sorted(zip(read, names, strict=True), key=lambda one: one[0].started)
    (a, a_name), (b, b_name) = ordered
    check_suites(a, b, a_name, b_name)
    mine, theirs = systems_to_compare(a, b)
    before, after = a.systems[mine], b.systems[theirs]
    result = compare(a.suite, before, after, SAMPLES, 0)
    return comparison_html(
        a.suite,
        (_side("A", a, a_name, mine), _side("B", b, b_name, theirs)),
        result,
        changed_items(a.suite, before, after),
        _texts(a, cases),
        (warnings_of(a, b, before, after), footnotes(result, SAMPLES, 0)),
        (shown, signed),
    )


def _side(letter: str, result: SavedResult, name: str, system: str) -> Side:
    from evals.reports.page.view import subtitle

    return Side(letter, name, f"{system} · {subtitle(result)}")


def _texts(result: SavedResult, cases: Sequence[Path]) -> Texts:
    from evals.reports.case_texts import own_case_files, texts_of

    texts, _ = texts_of(result, list(cases) or own_case_files(result))
    return texts
