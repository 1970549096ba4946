"""`recollect contacts erase`: asked for by name, told by a receipt, never by one word alone."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graph.stores import Stores
from memory.trust.exporting import UnknownContact
from tests.messages import message
from ui.cli.erasing import NotConfirmed, erase_contact, read_erasures, receipt_text
from ui.cli.main import app
from ui.erasing import TypedLeft
from ui.playground.views.erasing import ErasingPart

pytestmark = pytest.mark.anyio


def _is_empty(folder: Path) -> bool:
    return not any(folder.iterdir())


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


@pytest.mark.parametrize(("contact", "is_here"), [("web:ana", True), ("waha:ana", False)])
async def test_what_was_typed_at_this_machine_goes_with_who_sits_there(
    stores: Stores, tmp_path: Path, contact: str, is_here: bool
) -> None:
    settings = stores.settings.model_copy(update={"data_dir": tmp_path})
    for name in ("chat_history", "chat_history.new"):
        (tmp_path / name).write_text("\n# then\n+I live in Leeds.\n")
    said = message("I live in Leeds.", tenant=settings.tenant)
    await stores.memory.ledger.record([replace(said, contact_id=contact)], history=True)
    if contact.startswith("web:"):
        part = ErasingPart(replace(stores, settings=settings))
        await part.erase({"contact": contact, "typed": contact})
    else:
        await erase_contact(settings, contact)
    assert _is_empty(tmp_path) == is_here


async def test_what_was_typed_and_cannot_be_removed_is_named(
    stores: Stores, tmp_path: Path
) -> None:
    settings = stores.settings.model_copy(update={"data_dir": tmp_path})
    (tmp_path / "chat_history").mkdir()
    said = replace(message("Hello.", tenant=settings.tenant), contact_id="web:ana")
    await stores.memory.ledger.record([said], history=True)
    with pytest.raises(TypedLeft, match=f"remove {tmp_path}/chat_history"):
        await erase_contact(settings, "web:ana")
    assert len(await read_erasures(settings)) == 1


def test_nobody_to_ask_is_one_clear_line() -> None:
    runner = CliRunner()
    refused = runner.invoke(app, ["contacts", "erase", "waha:ana"])
    assert isinstance(refused.exception, NotConfirmed)
    assert str(refused.exception) == (
        "nobody can be asked here: add --yes to erase without a question"
    )
    assert runner.invoke(app, ["contacts", "erase", " "]).exit_code == 2
    assert "erasures" in runner.invoke(app, ["contacts", "--help"]).stdout
