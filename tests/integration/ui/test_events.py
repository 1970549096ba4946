"""`recollect events`: what could not be read, by account and reason, and one body on request."""

from __future__ import annotations

import pytest

from graph.settings import Settings
from graph.stores import Stores
from memory.postgres.tenants import remove_transcript
from ui.cli.events import list_events, show_event

pytestmark = pytest.mark.anyio


async def test_events_are_listed_without_their_bodies(
    stores: Stores, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        await stores.memory.events.keep(
            settings.tenant, "waha", "phone", "malformed webhook: x \x1b[31m", b"the secret body"
        )
    await list_events(settings)
    listed = capsys.readouterr().out
    (line,) = [each for each in listed.splitlines() if "waha/phone" in each]
    assert "15 bytes, 2 times  malformed webhook: x [31m" in line
    assert "secret" not in listed
    event_id = line.split()[0]
    assert await show_event(settings, event_id) == 0
    assert capsys.readouterr().out == "the secret body\n"
    assert await show_event(settings, "nope") == 1
    assert "no event nope" in capsys.readouterr().err
    another = settings.model_copy(update={"tenant": "someone-else"})
    await list_events(another)
    assert "waha/phone" not in capsys.readouterr().out
    assert await show_event(another, event_id) == 1
    await remove_transcript(stores.pool, settings.tenant)
    await list_events(settings)
    assert "waha/phone" not in capsys.readouterr().out
