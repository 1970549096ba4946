"""A report in Chromium: both themes, phone and desk; it asks for nothing and fits its window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from evals.reports.page import render_page
from tests.e2e.chromium import CHROMIUM, FLAGS, needs_chromium
from tests.unit.evals.reports.sample import full, hostile_texts, parsed

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120), needs_chromium]

# WCAG 2.2, 1.4.3: contrast of the colours that a text and what lies behind it are drawn in.
CONTRASTS = """() => {
  const light = (c) => {
    const [r, g, b] = c.match(/[\\d.]+/g).slice(0, 3).map((one) => {
      const v = one / 255;
      return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!/, 0\\)$/.test(colour)) return colour;
    }
    return getComputedStyle(document.body).backgroundColor;
  };
  const low = new Set();
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own) continue;
    const style = getComputedStyle(element);
    const colour = element.closest('svg') ? style.fill : style.color;
    const [a, b] = [light(colour), light(behind(element))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) low.add(`${element.tagName}.${element.className} ${colour}`);
  }
  return [...low];
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render_page(parsed(full()), hostile_texts()), encoding="utf-8")
    return path.as_uri()


def opened(
    browser: Browser, url: str, width: int, scheme: Literal["light", "dark"]
) -> tuple[Page, list[str]]:
    """Open the report with all its parts unfolded; return it and what it should not have done."""
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("dialog", lambda dialog: wrong.append(f"dialog: {dialog.message}"))
    page.on("request", lambda request: None if request.url == url else wrong.append(request.url))
    page.goto(url)
    closed = page.locator("details:not([open]) > summary")
    while closed.count():
        closed.first.click(timeout=5_000)
    return page, wrong


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_a_report_fits_is_legible_and_asks_for_nothing(
    browser: Browser, report: str, width: int, scheme: Literal["light", "dark"]
) -> None:
    page, wrong = opened(browser, report, width, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.locator("details[open]").count() == page.locator("details").count() > 3
    assert page.evaluate(CONTRASTS) == []
    smallest = page.evaluate(
        """() => Math.min(...[...document.querySelectorAll('svg text')].map(
             (one) => one.getBoundingClientRect().height))"""
    )
    assert smallest >= 10
    page.close()
    assert wrong == []


def test_the_theme_follows_the_system(browser: Browser, report: str) -> None:
    colours = []
    schemes: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")
    for scheme in schemes:
        page, _ = opened(browser, report, 1280, scheme)
        colours.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        page.close()
    assert colours == ["rgb(247, 248, 250)", "rgb(15, 19, 24)"]


def test_it_can_be_walked_through_by_keyboard(browser: Browser, report: str) -> None:
    page, _ = opened(browser, report, 1280, "light")
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.tagName"))
    page.close()
    assert {"A", "DIV", "SUMMARY"} <= reached


def test_printed_it_shows_what_was_folded(browser: Browser, report: str) -> None:
    page = browser.new_page()
    page.goto(report)
    page.emulate_media(media="print")
    hidden = page.locator("details.worst:not([open]) .inside").first
    assert hidden.is_visible()
    assert len(page.pdf()) > 10_000
    page.close()
