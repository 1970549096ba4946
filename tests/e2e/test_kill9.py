"""Every message is answered exactly once, whenever the server is killed (N1, N14, W6)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.drivers import kill9


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_every_message_is_answered_once_over_three_kills(tmp_path: Path) -> None:
    outcome = kill9.run(kills=3, folder=tmp_path)
    assert outcome.violations == []
    assert outcome.kills == 3
