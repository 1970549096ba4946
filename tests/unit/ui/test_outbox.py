from __future__ import annotations

import pytest
from typer.testing import CliRunner

from ui.cli.main import app


@pytest.mark.parametrize("given", [[], ["7", "--all"], ["0"], ["x"]])
def test_one_reply_is_named_or_all(given: list[str]) -> None:
    assert CliRunner().invoke(app, ["outbox", "dismiss", *given]).exit_code == 2
