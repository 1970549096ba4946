"""What axe finds on a page of the console."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SERIOUS = ("serious", "critical")


def serious(page: Page) -> list[str]:
    """Return what axe finds serious, each with the part of the page that it is about."""
    response: dict[str, Any] = Axe().run(page).response  # Any: axe's JSON
    return [
        f"{found['id']}: {node['html'][:160]}"
        for found in response["violations"]
        if found["impact"] in SERIOUS
        for node in found["nodes"]
    ]
