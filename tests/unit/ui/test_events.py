from __future__ import annotations

import pytest
import typer
from typer.testing import CliRunner

from graph.settings import Settings
from ui.cli import events
from ui.cli.main import app


def test_events_lists_all_that_is_kept_and_has_no_option_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def listed(_: Settings) -> None:
        typer.echo("all of them")

    monkeypatch.setattr(events, "list_events", listed)
    assert CliRunner().invoke(app, ["events"]).stdout == "all of them\n"
    assert CliRunner().invoke(app, ["events", "--failed"]).exit_code == 2
