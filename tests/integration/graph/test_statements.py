"""What a warm answered message costs in statements: more than this is a step back."""

from __future__ import annotations

import pytest

from graph.settings import Settings
from tests.benchmarks.statements import measure

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(("channel", "most"), [("web", 19), ("waha", 20)])
async def test_a_warm_turn_sends_no_more_statements(
    settings: Settings, channel: str, most: int
) -> None:
    cost = await measure(settings, channel)
    assert cost.ours <= most, "\n".join(each[:120] for each in cost.statements)
    assert cost.messages_read <= 6
