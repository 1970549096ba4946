"""What a browser sent to be imported does not stay where it is not imported."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from graph.bootstrap import agent_on
from graph.stores import Stores
from tests.integration.server.running import eventually
from ui.playground.serving import application
from ui.playground.views.imports import Imports

pytestmark = pytest.mark.anyio

CHAT = "03/04/2025, 09:00 - Bea: one\n03/04/2025, 09:01 - Max: two\n"
ZONE = "Europe/Berlin"


@pytest.mark.parametrize("zone", [ZONE, "Nowhere/Land"])
async def test_what_is_taken_off_the_page_goes(stores: Stores, tmp_path: Path, zone: str) -> None:
    view = Imports(agent_on(stores))
    first, second = tmp_path / "WhatsApp Chat with Bea.txt", tmp_path / "again.txt"
    for each in (first, second):
        each.write_text(CHAT, encoding="utf-8")
    *_, copy = await view.dropped(str(first), zone, "")
    assert first.exists()
    *_, copy = await view.dropped(str(second), zone, copy)
    assert (first.exists(), second.exists()) == (False, True)
    *_, copy = await view.cleared(copy)
    assert (copy, second.exists()) == ("", False)
    assert (await view.cleared(copy))[0] == ""


async def test_what_is_being_imported_stays_until_it_is_in(stores: Stores, tmp_path: Path) -> None:
    view = Imports(agent_on(stores))
    path = tmp_path / "WhatsApp Chat with Bea.txt"
    path.write_text(CHAT, encoding="utf-8")
    *_, copy = await view.dropped(str(path), ZONE, "")
    await view.start("web:me", str(path), "dmy", "Max", ZONE)
    await view.cleared(copy)
    assert await eventually(lambda: not path.exists())
    told, *_ = await view.state(str(path))
    assert "2 new messages" in told


async def test_all_that_was_sent_goes_with_the_playground(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    app = application(agent_on(stores))
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:7860") as http,
    ):
        sent = await http.post("/gradio_api/upload", files={"files": ("chat.txt", CHAT.encode())})
        (path,) = map(Path, sent.json())
        assert path.is_relative_to(tmp_path)
        assert path.read_text(encoding="utf-8") == CHAT
    assert not path.exists()
