"""What was begun behind the prompt is let end, whoever began it."""

from __future__ import annotations

import asyncio

import pytest

from ui.cli.behind import Behind


def test_outcomes_and_errors_come_back() -> None:
    async def fails() -> None:
        raise LookupError("gone")

    with Behind() as behind:
        assert behind.start(asyncio.sleep(0, "done")).result() == "done"
        failing = behind.start(fails())
        with pytest.raises(LookupError, match="gone"):
            failing.result()
        assert failing.has_failed()


def test_what_was_begun_within_is_cancelled_and_cleans_up() -> None:
    ended: list[str] = []

    async def child() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            # As a store that has to say goodbye.
            await asyncio.sleep(0.05)
            ended.append("child")

    children: set[asyncio.Task[None]] = set()

    async def work() -> None:
        children.add(asyncio.create_task(child()))
        await asyncio.sleep(60)

    with Behind() as behind:
        begun = behind.start(work())
        behind.start(asyncio.sleep(0.05)).result()
        begun.stop()
        assert begun.is_done()
    assert ended == ["child"]
