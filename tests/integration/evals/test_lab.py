"""The lab on the real server: every scene with its reasons, and a product that is broken."""

from __future__ import annotations

import asyncio

import pytest

from evals.errors import CutOff, NothingSaid
from evals.lab.cast import Channel, Cue
from evals.lab.chat import Row
from evals.lab.scenes import SCENES, Scene, scene_named
from evals.lab.stage import Played, Stage

pytestmark = pytest.mark.timeout(300)

BROKEN = "tests.integration.evals.broken:send_twice_to_machines"
ON_WHATSAPP = {
    "mentioned": ["not_addressed", "addressed", "echo", "not_addressed"],
    "bots": ["addressed", "echo", "automation", "automation"],
    "owner": ["every_message", "echo", "owner", "paused", "hour_passed", "every_message", "echo"],
    "thrice": ["every_message", "echo", "known", "known", "known"],
    "echo": ["every_message", "echo", "echo", "edit", "echo"],
}
ON_TELEGRAM = {
    "bots": ["addressed", "automation", "automation"],
    "owner": ["every_message", "every_message", "every_message", "hour_passed", "every_message"],
    "echo": ["every_message", "echo", "edit", "echo"],
}


async def played(stage: Stage, channel: Channel, scene: Scene) -> tuple[list[Row], Played]:
    chat = await stage.begin(channel, scene.place)
    parts = [await stage.play(chat, cue) for cue in scene.cues]
    return [row for part in parts for row in part.rows], parts[-1]


async def every_scene() -> None:
    assert set(ON_WHATSAPP) == {scene.name for scene in SCENES}
    stage = Stage()
    try:
        expected: dict[Channel, dict[str, list[str]]] = {
            "waha": ON_WHATSAPP,
            "telegram": ON_TELEGRAM,
        }
        for channel, codes in expected.items():
            for name, reasons in codes.items():
                scene = scene_named(name)
                assert scene is not None
                rows, end = await played(stage, channel, scene)
                assert [row.why.code for row in rows] == reasons, f"{channel} {name}"
                assert (end.invariant.to_ourselves, end.invariant.twice) == (0, 0)
                assert rows[-1].total == sum(len(row.replies) for row in rows)
                assert rows[-1].total == scene.replies[channel]
                assert not any(row.is_wrong for row in rows)
        await _cut_off(stage)
    finally:
        await stage.close()


async def _cut_off(stage: Stage) -> None:
    chat = await stage.begin("waha", "group")
    for nothing in ("echo", "again", "edit", "restart"):
        with pytest.raises(NothingSaid, match="nothing|Nobody|Nothing"):
            await stage.play(chat, Cue(nothing))
    stage.cue_s = 0.01
    with pytest.raises(CutOff, match="did not come to rest"):
        await stage.play(chat, Cue("ana", "hi"))
    assert not stage.is_open
    with pytest.raises(CutOff, match="This chat is over"):
        await stage.play(chat, Cue("ana", "hi"))


async def broken() -> None:
    stage, scene = Stage(BROKEN), scene_named("bots")
    assert scene is not None
    try:
        rows, end = await played(stage, "waha", scene)
    finally:
        await stage.close()
    assert [row.is_wrong for row in rows if row.who.endswith("a bot")] == [True, True]
    assert end.invariant.to_ourselves >= 2
    assert end.invariant.twice >= 1
    assert not end.invariant.holds


def test_every_scene_is_played_with_its_reasons_and_what_hangs_is_cut_off() -> None:
    asyncio.run(every_scene())


def test_a_broken_product_cannot_hide_in_the_lab() -> None:
    asyncio.run(broken())
