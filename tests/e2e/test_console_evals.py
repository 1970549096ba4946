"""Results are dropped into the page in Chromium: one, then another, at the desk and on a phone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import serious
from tests.e2e.chromium import needs_chromium
from tests.e2e.processes import Playground
from tests.unit.evals.reports.sample import full, result, scores, system

READY_MS = 30_000

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300), needs_chromium]


@pytest.fixture(scope="module")
def playground(data_dir: Path) -> Iterator[Playground]:
    with Playground(data_dir) as running:
        yield running


def test_a_result_is_opened_refused_and_compared(
    playground: Playground, page: Page, tmp_path: Path
) -> None:
    later = "2026-11-22T20:00:00+00:00"
    better = result({"recollect": system(scores(2, 6, 1, gain=0.1))}, started=later)
    for name, given in (("before", full()), ("after", better), ("none", [1, 2])):
        (tmp_path / f"{name}.json").write_text(json.dumps(given), encoding="utf-8")
    page.goto(f"{playground.url}?contact=web:me&view=evals")
    told = page.locator("#rc-evals")
    expect(told).to_contain_text("No result is open", timeout=READY_MS)

    def drop(name: str) -> None:
        page.locator("#rc-evals-files input[type=file]").set_input_files(tmp_path / f"{name}.json")

    drop("none")
    expect(told.get_by_role("alert")).to_contain_text("none.json: no result", timeout=READY_MS)
    drop("before")
    expect(told.locator("h2")).to_contain_text("recall", timeout=READY_MS)
    worst = told.locator("details").first
    worst.locator("summary").press("Enter")
    expect(worst).to_contain_text("rank 23")
    assert serious(page) == []
    page.set_viewport_size({"width": 360, "height": 800})
    label, icon = (
        page.locator(f"#rc-evals-files {part}").bounding_box() for part in ("label", "button svg")
    )
    assert label is not None
    assert icon is not None
    assert label["y"] + label["height"] <= icon["y"], "what it says stands over the arrow"
    drop("after")
    expect(told.locator("h2")).to_contain_text("from A to B", timeout=READY_MS)
    expect(told).to_contain_text("scores of single cases better")
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.get_by_role("button", name="Close", exact=True).press("Enter")
    expect(told).to_contain_text("No result is open", timeout=READY_MS)
