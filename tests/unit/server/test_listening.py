"""A server that other machines would reach does not start without a key."""

from __future__ import annotations

import pytest

from graph.settings import BadSettings, Settings
from server.app import run_server


def test_the_server_does_not_start_for_other_machines_without_a_key() -> None:
    with pytest.raises(BadSettings, match=r"RECOLLECT_API_KEY: set a key"):
        run_server(Settings(), "0.0.0.0", 8000)
