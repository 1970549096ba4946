"""An address that leads nowhere is told in a sentence, with a way back."""

from __future__ import annotations

import httpx
import pytest
from fastapi import FastAPI

from ui.playground.astray import NoSuchPage, astray_html

HOSTILE = "<img src=x>"


def test_who_and_what_is_not_there_is_named_and_nothing_of_it_is_markup() -> None:
    html = astray_html(HOSTILE, HOSTILE, "web:Ana & Co")
    assert "Nobody is known as" in html
    assert "There is no view called" in html
    assert "?contact=web%3AAna+%26+Co&amp;view=chat" in html
    assert "<img" not in html
    assert astray_html("", "", "web:me") == ""


@pytest.mark.anyio
async def test_a_browser_gets_a_page_and_a_program_the_answer_as_it_is() -> None:
    inner = FastAPI()
    app = NoSuchPage(inner, "/console")
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=app), base_url="http://x"
    ) as client:
        page = await client.get("/%3Cimg%3E", headers={"Accept": "text/html,*/*"})
        bare = await client.get("/nonsense", headers={"Accept": "application/json"})
        found = await client.get("/docs", headers={"Accept": "text/html"})
    assert page.status_code == bare.status_code == 404
    assert "There is no such page" in page.text
    assert "<img" not in page.text
    assert "href='/console'" in page.text
    assert bare.json() == {"detail": "Not Found"}
    assert found.status_code == 200
