"""The loop lab in Chromium, at the desk and on a phone: a scene, and a line of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import serious
from tests.e2e.chromium import needs_chromium
from tests.e2e.processes import Playground

READY_MS = 30_000
PLAYED_MS = 120_000  # the first line starts the lab's own server

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300), needs_chromium]


@pytest.fixture(scope="module")
def playground(data_dir: Path) -> Iterator[Playground]:
    with Playground(data_dir) as running:
        yield running


def test_a_scene_and_a_line_are_played_and_nothing_of_them_is_remembered(
    playground: Playground, page: Page
) -> None:
    page.goto(f"{playground.url}?contact=web:me&view=lab")
    lab = page.locator("#rc-lab")
    rows, rule = lab.locator(".rc-lab-row"), lab.locator(".rc-lab-rule")
    expect(lab).to_contain_text("Nothing was played yet", timeout=READY_MS)
    play = page.get_by_role("button", name="Play", exact=True)
    play.click()
    expect(lab).to_contain_text("Type what is said first.", timeout=READY_MS)
    page.get_by_role("button", name="Two bots meet").press("Enter")
    expect(lab.locator(".rc-lab-busy")).to_be_visible(timeout=READY_MS)
    expect(rows).to_have_count(4, timeout=PLAYED_MS)
    expect(rows.locator("code")).to_have_text(["addressed", "echo", "automation", "automation"])
    expect(rule).to_contain_text("0 answers to ourselves, 0 twice")
    expect(rule).to_contain_text("1 message")
    # The chat goes on by hand, on a phone.
    page.set_viewport_size({"width": 360, "height": 800})
    page.get_by_label("Ben, another contact").check()
    page.get_by_label("Mentions the agent").uncheck()
    words = page.get_by_label("Words")
    words.fill("anybody <i>here</i>?")
    words.press("Enter")
    expect(rows).to_have_count(5, timeout=PLAYED_MS)
    expect(rows.last).to_contain_text("anybody <i>here</i>?")
    expect(rows.last).to_contain_text("not_addressed")
    expect(words).to_have_value("")
    page.get_by_label("The same webhook, again").check()
    play.click()
    expect(rows.last).to_contain_text("webhook: known", timeout=PLAYED_MS)
    expect(rule).to_contain_text("0 answers to ourselves, 0 twice")
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.get_by_role("button", name="Start over").click()
    expect(lab).to_contain_text("Nothing was played yet", timeout=READY_MS)
    page.goto(f"{playground.url}?contact=web:me&view=chat")
    expect(page.locator("#rc-people a")).to_have_count(1, timeout=READY_MS)
