"""The lab's server is not there before somebody plays, and goes when nobody does."""

from __future__ import annotations

import asyncio

from evals.lab.stage import Stage


def test_nothing_is_started_before_a_line_is_played() -> None:
    stage = Stage()
    assert not stage.is_open
    asyncio.run(stage.close())


def test_a_server_is_idle_when_nobody_plays_on_it() -> None:
    asyncio.run(asyncio.wait_for(Stage(idle_s=0.01)._idle(), 10))
