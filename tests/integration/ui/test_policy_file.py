"""`recollect policy` and `recollect audit` on real stores."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from typer.testing import CliRunner, Result

from graph.bootstrap import open_stores
from graph.settings import load_settings
from memory.domain.work import AuditLine
from memory.embedded import EmbeddedStores
from tests.messages import START
from ui.cli.main import app

FILE = """\
version: 1
channels:
  waha: {reply_group: all, blocked: [4915]}
chats:
  waha/shop/4915@c.us: {reply: off}
"""

Recollect = Callable[..., Result]


@pytest.fixture
def recollect(embedded: EmbeddedStores, monkeypatch: pytest.MonkeyPatch) -> Recollect:
    """Run the command line on the embedded servers, with a tenant of the test's own."""
    monkeypatch.setenv("RECOLLECT_DATABASE_URL", embedded.database_url)
    monkeypatch.setenv("RECOLLECT_CHROMA_URL", embedded.chroma_url)
    monkeypatch.setenv("RECOLLECT_TENANT", f"test-{uuid4()}")
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


def test_a_file_goes_in_and_comes_out(recollect: Recollect, tmp_path: Path) -> None:
    given, written = tmp_path / "policy.yaml", tmp_path / "out.json"
    given.write_text(FILE, encoding="utf-8")
    assert recollect("policy", "check", given).stdout == f"{given}: fine, with 2 scopes.\n"
    assert recollect("policy", "import", given).stdout == (
        "waha: version 1\nwaha/shop/4915@c.us: version 1\n"
    )
    assert recollect("policy", "import", given).stdout == "Nothing changed: it is so already.\n"
    shown = recollect("policy", "export").stdout
    assert "reply: 'off'" in shown
    assert recollect("policy", "export", written).stdout == f"{written}: written.\n"
    assert recollect("policy", "import", written).stdout == "Nothing changed: it is so already.\n"
    given.write_text("version: 1\nchannels: {waha: {}}", encoding="utf-8")
    assert recollect("policy", "import", given).stdout == "waha: version 2\n"
    assert "4915@c.us" in recollect("policy", "export").stdout


@pytest.mark.parametrize("command", ["import", "check"])
def test_a_file_with_an_error_changes_nothing(
    recollect: Recollect, tmp_path: Path, command: str
) -> None:
    bad = tmp_path / "policy.yaml"
    bad.write_text(FILE.replace("off", "never") + "more: 1\n", encoding="utf-8")
    done = recollect("policy", command, bad)
    assert done.exit_code == 2
    assert done.stderr.splitlines() == [
        f"{bad}: chats.waha/shop/4915@c.us.reply: must be 'all', 'mention_only' or 'off'",
        f"{bad}: more: is not known: remove it, or write one of version, channels, chats",
    ]
    assert recollect("policy", "export").stdout == "version: 1\nchannels: {}\nchats: {}\n"


def test_a_file_that_cannot_be_read_is_named(recollect: Recollect, tmp_path: Path) -> None:
    done = recollect("policy", "check", tmp_path / "none.yaml")
    assert (done.exit_code, done.stderr) == (
        2,
        f"{tmp_path}/none.yaml: cannot be read: No such file or directory\n",
    )
    done = recollect("policy", "export", tmp_path / "none" / "x.yaml")
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)


def test_the_audit_is_listed(recollect: Recollect) -> None:
    assert recollect("audit").stdout == "Nothing was decided that has to be said.\n"

    async def write() -> None:
        settings = load_settings()
        async with open_stores(settings) as stores:
            line = AuditLine(settings.tenant, "", "t1", "output", "replaced", "secret", START)
            await stores.memory.audit.write([line])

    asyncio.run(write())
    assert recollect("audit").stdout == ("2026-03-01 09:00:00  output  replaced  secret  t1\n")
