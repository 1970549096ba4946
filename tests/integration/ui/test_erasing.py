"""`recollect contacts erase`: asked for by name, told by a receipt, never by one word alone."""

from __future__ import annotations

import sys

import pytest
from typer.testing import CliRunner

from graph.stores import Stores
from memory.trust.exporting import UnknownContact
from tests.messages import message
from ui.cli.erasing import NotConfirmed, erase_contact, read_erasures, receipt_text
from ui.cli.main import app

pytestmark = pytest.mark.anyio


async def test_the_name_is_typed_and_a_receipt_tells_what_went(
    stores: Stores, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings, tenant = stores.settings, stores.settings.tenant
    await stores.memory.ledger.record([message("I live in Leeds.", tenant=tenant)], history=True)
    await stores.projector.caught_up()
    with pytest.raises(UnknownContact, match="nothing is kept of waha:nobody"):
        await erase_contact(settings, "waha:nobody", asks=True)
    typed = iter(["yes\n", "waha:ana\n"])
    monkeypatch.setattr(sys.stdin, "readline", lambda: next(typed))
    with pytest.raises(NotConfirmed):
        await erase_contact(settings, "waha:ana", asks=True)
    receipt = await erase_contact(settings, "waha:ana", asks=True)
    asked = capsys.readouterr().err
    assert "This goes for good: " in asked
    assert "messages 1" in asked
    text = receipt_text(receipt)
    assert "found nothing" in text
    assert "what others said stays" in text
    assert "ana" not in text
    assert "Leeds" not in text
    (listed,) = await read_erasures(settings)
    assert listed == receipt


def test_nobody_to_ask_is_one_clear_line() -> None:
    runner = CliRunner()
    refused = runner.invoke(app, ["contacts", "erase", "waha:ana"])
    assert isinstance(refused.exception, NotConfirmed)
    assert str(refused.exception) == (
        "nobody can be asked here: add --yes to erase without a question"
    )
    assert runner.invoke(app, ["contacts", "erase", " "]).exit_code == 2
    assert "erasures" in runner.invoke(app, ["contacts", "--help"]).stdout
