"""The settings view in Chromium: a policy is refused at its field, kept, and decides a message."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import serious
from tests.e2e.chromium import needs_chromium
from tests.e2e.processes import Playground

WAIT_MS = 20_000

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300), needs_chromium]


@pytest.fixture(scope="module")
def console(data_dir: Path) -> Iterator[str]:
    with Playground(data_dir) as running:
        yield running.url


def test_a_policy_is_kept_and_decides_a_message_at_a_desk_and_on_a_phone(
    console: str, page: Page
) -> None:
    page.goto(f"{console}/?view=settings")
    told = page.locator(".rc-conf-told")
    rules = page.locator("form[data-do=policy]")
    rules.get_by_label("Debounce ms").fill("soon", timeout=WAIT_MS)
    rules.get_by_label("Blocked").fill("4915")
    rules.get_by_role("button", name="Keep").press("Enter")
    expect(rules.locator("[data-for=debounce_ms]")).to_have_text(
        "must be a whole number", timeout=WAIT_MS
    )
    assert serious(page) == []
    rules.get_by_label("Debounce ms").fill("900")
    page.keyboard.press("Enter")
    expect(told).to_contain_text("waha is version 1 now", timeout=WAIT_MS)
    page.set_viewport_size({"width": 360, "height": 780})
    sample = page.locator("form[data-do=preview]")
    sample.get_by_label("What it says").fill("<b>Hi</b>")
    sample.get_by_label("Who writes, by id").fill("+4915")
    sample.get_by_role("button", name="Decide").click()
    expect(page.locator(".rc-conf-outcome")).to_contain_text("is blocked", timeout=WAIT_MS)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert serious(page) == []
    page.locator("form[data-do=persona] textarea").fill("   ")
    page.locator("form[data-do=persona] button").click()
    expect(page.locator("[data-for=persona]")).to_contain_text("empty", timeout=WAIT_MS)
