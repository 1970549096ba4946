"""Servers that are started ahead are the ones that are asked for; what fails is told then."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr

from graph.addresses import addresses, starting
from graph.settings import Settings
from memory.embedded import EmbeddedStoreError, lease

pytestmark = pytest.mark.anyio


async def test_what_starts_beside_the_block_is_what_is_asked_for(data_dir: Path) -> None:
    settings = Settings(data_dir=data_dir)
    with starting(settings):
        async with addresses(settings) as where:
            with lease(data_dir) as held:
                assert held.stores.database_url == where.database_url
                assert held.stores.chroma_url == where.chroma_url


async def test_why_it_does_not_start_is_told_to_who_asks(tmp_path: Path) -> None:
    taken = tmp_path / "data"
    taken.write_text("a file")
    settings = Settings(data_dir=taken)
    with starting(settings), pytest.raises(EmbeddedStoreError, match=str(taken)):
        async with addresses(settings):
            pass


def test_nothing_is_started_where_servers_are_named(tmp_path: Path) -> None:
    settings = Settings(
        data_dir=tmp_path / "data",
        database_url=SecretStr("postgresql://ann@127.0.0.1:9/x"),
        chroma_url="http://127.0.0.1:9",
    )
    with starting(settings):
        pass
    assert not (tmp_path / "data").exists()
