"""Two exports of one WhatsApp chat under two file names are one chat; two chats stay two."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph.importing.chats import OtherChoice, import_chats
from graph.importing.mapping import Owner
from graph.importing.reading import read_export
from graph.stores import Stores
from memory.domain.imports import ImportState
from memory.text.zones import zone_of
from tests.integration.importing.counting import Watching, rows

pytestmark = pytest.mark.anyio

SAID = [
    "3/13/26, 09:05 - Eva: Boa viagem!",
    "3/13/26, 09:06 - Max: Obrigado",
    "3/13/26, 09:06 - Eva: Chegas quando?",
    "3/14/26, 10:00 - Max: Amanhã às oito",
    "3/14/26, 10:05 - Eva: Vou buscar-te",
]


async def _take(
    stores: Stores,
    folder: Path,
    name: str,
    lines: list[str],
    *,
    contact: str = "me",
    zone: str = "UTC",
) -> tuple[ImportState, Watching]:
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = zone_of(zone)
    assert found is not None
    export, reading = read_export(path, None, "mdy", zone, found)
    owner, watcher = Owner(stores.settings.tenant, contact, "Max"), Watching()
    return await import_chats(stores, export, owner, reading, watcher), watcher


@pytest.mark.parametrize(
    ("first", "later"),
    [
        pytest.param(SAID[:3], SAID, id="it goes on"),
        pytest.param(SAID[1:], SAID, id="it begins earlier"),
        pytest.param(SAID[:4], SAID[1:], id="it begins later and goes on"),
        pytest.param(SAID, SAID[:3], id="it ends earlier"),
        pytest.param(SAID[:4], [SAID[0], SAID[1] + "!", *SAID[2:]], id="a line was edited"),
    ],
)
async def test_another_file_name_is_no_other_chat(
    quick: Stores, tmp_path: Path, first: list[str], later: list[str]
) -> None:
    await _take(quick, tmp_path, "wa_pt.txt", first)
    state, watcher = await _take(quick, tmp_path, "wa_pt_longer.txt", later)
    assert watcher.joins == [("wa_pt", "wa_pt.txt")]
    assert state.new == len(set(later) - set(first))
    assert await rows(quick) == len({*first, *later})
    assert state.anchors == ("group:whatsapp:import:wa_pt",)


async def test_another_time_zone_is_no_other_chat(quick: Stores, tmp_path: Path) -> None:
    await _take(quick, tmp_path, "a.txt", SAID[:3])
    state, _ = await _take(quick, tmp_path, "b.txt", SAID, zone="Asia/Tokyo")
    assert (state.new, await rows(quick)) == (2, 5)


OTHER = [
    "3/13/26, 09:06 - Max: Obrigado",
    "3/13/26, 09:07 - Ana: De nada",
    "3/13/26, 09:08 - Max: Até logo",
    "3/14/26, 12:00 - Ana: Até",
]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(OTHER, id="one line in common"),
        pytest.param(["3/13/26, 09:04 - Max: Bom dia", *OTHER], id="only lines sent to many"),
        pytest.param([*SAID[:2], *OTHER[1:], "3/14/26, 13:00 - Ana: Olá"], id="two at the start"),
    ],
)
async def test_what_was_sent_to_two_chats_joins_none(
    quick: Stores, tmp_path: Path, other: list[str]
) -> None:
    await _take(quick, tmp_path, "eva.txt", ["3/13/26, 09:04 - Max: Bom dia", *SAID])
    state, watcher = await _take(quick, tmp_path, "ana.txt", other)
    assert (watcher.joins, state.new) == ([], len(other))


async def test_a_half_imported_file_goes_on_with_the_same_chat(
    quick: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _take(quick, tmp_path, "wa_pt.txt", SAID[:3])

    class Killed(BaseException):
        pass

    async def kill(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("graph.importing.chats._persist", kill)
        with pytest.raises(Killed):
            await _take(quick, tmp_path, "longer.txt", SAID)
    state, _ = await _take(quick, tmp_path, "longer.txt", SAID)
    assert (state.new, await rows(quick)) == (2, 5)


async def test_a_chat_of_another_contact_is_refused_under_any_name(
    quick: Stores, tmp_path: Path
) -> None:
    await _take(quick, tmp_path, "wa_pt.txt", SAID[:3])
    with pytest.raises(OtherChoice, match=r"imported from wa_pt\.txt with --contact 'me'"):
        await _take(quick, tmp_path, "longer.txt", SAID, contact="ina")


async def test_the_same_title_goes_on_and_says_so(quick: Stores, tmp_path: Path) -> None:
    await _take(quick, tmp_path, "WhatsApp Chat with Eva.txt", SAID[:3])
    _, watcher = await _take(quick, tmp_path, "WhatsApp Chat with Eva (1).txt", SAID)
    assert watcher.joins == [("eva", "WhatsApp Chat with Eva.txt")]
