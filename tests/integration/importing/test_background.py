"""Imports in the background: followed, stopped, taken up, and ended in one sentence."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from graph.importing.background import BackgroundImports, ImportBusy, Order, Progress
from graph.stores import Stores
from tests.fakes.exports import chat_file
from tests.integration.importing.counting import rows

pytestmark = pytest.mark.anyio


async def _ended(imports: BackgroundImports) -> Progress:
    for _ in range(3_000):
        if not imports.is_running:
            break
        await asyncio.sleep(0.02)
    assert imports.latest is not None
    assert not imports.is_running
    return imports.latest


async def test_it_is_stopped_and_taken_up_where_it_was(stores: Stores, tmp_path: Path) -> None:
    imports = BackgroundImports(stores)
    order = Order(chat_file(tmp_path, 1_500), "me", "Max", "UTC", is_copy=True)
    imports.start(order)
    with pytest.raises(ImportBusy):
        imports.start(order)
    assert imports.latest is not None
    for _ in range(10_000):
        if imports.latest.position:
            break
        await asyncio.sleep(0.005)
    await imports.stop()
    assert not imports.is_running
    assert (imports.latest.was_stopped, imports.latest.error, imports.latest.done) == (
        True,
        "",
        None,
    )
    kept = imports.latest.position
    assert 0 < kept < 1_500
    assert order.path.exists()
    imports.start(order)
    ended = await _ended(imports)
    assert ended.done is not None
    assert (ended.position, ended.total, ended.error) == (1_500, 1_500, "")
    assert await rows(stores) == 1_500
    assert not order.path.exists()


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("empty.txt", b"", "empty.txt: the file is empty"),
        ("photo.jpg", b"\xff\xd8\xff\xe0 jpeg", "looks like an image"),
        ("cut.zip", b"PK\x03\x04 cut", "the zip is damaged"),
        ("list.json", b'{"a": 1}', "list.json"),
    ],
)
async def test_what_is_no_chat_gets_a_sentence_without_its_place(
    stores: Stores, tmp_path: Path, name: str, content: bytes, told: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    imports = BackgroundImports(stores)
    imports.start(Order(path, "me", "Max", "UTC"))
    ended = await _ended(imports)
    assert told in ended.error
    assert str(tmp_path) not in ended.error
    assert "\n" not in ended.error


async def test_a_zone_that_is_none_and_a_folder_are_told(stores: Stores, tmp_path: Path) -> None:
    imports = BackgroundImports(stores)
    imports.start(Order(chat_file(tmp_path, 3), "me", "Max", "Mars/Olympus"))
    assert "no such time zone" in (await _ended(imports)).error
    imports.start(Order(tmp_path, "me", "Max", "UTC"))
    assert "a folder" in (await _ended(imports)).error
