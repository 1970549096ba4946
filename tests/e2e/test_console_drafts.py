"""What is typed in the console's chat, in Chromium: it is one person's, and is never lost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.chromium import needs_chromium
from tests.e2e.processes import Playground
from tests.fakes.openai_server import OpenAIServer, Slow

ANSWER_MS = 20_000
SERVER = re.compile("/component_server")
AWAY = "The console does not answer. This is kept here until it does."

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300), needs_chromium]


@pytest.fixture(scope="module")
def model() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


@pytest.fixture(scope="module")
def settings(model: OpenAIServer) -> dict[str, str]:
    return {
        "RECOLLECT_MODEL": "fake",
        "OPENAI_BASE_URL": f"{model.url}/v1",
        "OPENAI_API_KEY": "none",
        "RECOLLECT_MODEL_ATTEMPTS": "1",
    }


def opened(page: Page, url: str, contact: str) -> Locator:
    """Open a contact's chat; return its lines."""
    page.goto(f"{url}/?contact=web:{contact}&view=chat")
    expect(page.locator("#rc-chat .rc-lines")).to_have_attribute(
        "data-contact", f"web:{contact}", timeout=ANSWER_MS
    )
    return page.locator("#rc-chat .rc-lines")


def kept(page: Page) -> dict[str, str]:
    """Return what the page keeps of what was typed."""
    found: dict[str, str] = page.evaluate(
        "Object.fromEntries(Object.entries(localStorage)"
        ".filter(([name]) => name.startsWith('recollect-unsent')))"
    )
    return found


@pytest.mark.slow
def test_a_draft_is_one_persons_and_what_a_crash_took_can_be_sent_again(
    data_dir: Path, model: OpenAIServer, settings: dict[str, str], page: Page
) -> None:
    box = page.locator("#rc-box textarea")
    with Playground(data_dir, **settings) as first:
        url = first.url
        lines = opened(page, url, "Ugo")
        box.fill("my long draft")
        page.locator("#rc-search input").press_sequentially("Tomasz", delay=30)
        page.locator("#rc-people a", has_text="Tomasz").click()
        expect(lines).to_have_attribute("data-contact", "web:Tomasz", timeout=ANSWER_MS)
        expect(box).to_have_value("")
        page.go_back()
        expect(box).to_have_value("my long draft", timeout=ANSWER_MS)
        (name,) = kept(page)
        assert name.startswith("recollect-unsent / ")
        assert name.endswith(" web:Ugo")

        # One message reaches the ledger, and its turn is cut off; the next never left the page.
        model.script(Slow("Never said.", 60), "Red it is.", "And with bread.")
        before = model.calls
        box.fill("My bike is red.")
        box.press("Enter")
        expect(box).to_have_value("")
        while model.calls == before:
            page.wait_for_timeout(50)
        page.route(SERVER, lambda route: route.abort())
        box.fill("I like żurek.")
        box.press("Enter")
        expect(lines).to_contain_text(AWAY)
        box.fill("half a thought")
        first.kill()
    page.unroute(SERVER)
    port = url.rpartition(":")[2]
    with Playground(data_dir, port=port, **settings) as again:
        assert again.url == url
        opened(page, url, "Ugo")
        expect(box).to_have_value("half a thought")
        # What was cut off goes on by itself; what nobody has stands there as not sent.
        expect(lines).to_contain_text("Red it is.", timeout=ANSWER_MS)
        note = lines.locator(".rc-note.user")
        expect(note).to_contain_text("Not sent: the console ended before", timeout=ANSWER_MS)
        expect(note.get_by_role("button", name="Discard")).to_be_visible()
        note.get_by_role("button", name="Send again").click()
        expect(lines.locator(".rc-said")).to_have_text(
            ["My bike is red.", "Red it is.", "I like żurek.", "And with bread."],
            timeout=ANSWER_MS,
        )
        box.fill("")
        page.wait_for_function(
            "Object.keys(localStorage).every(name => !name.startsWith('recollect-unsent'))",
            timeout=ANSWER_MS,
        )
