"""Shared by all tests: async on asyncio, and an environment that no setting of the user reaches."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every setting and key out of the environment: no test reaches a real model."""
    for name in os.environ:
        if name.startswith(("RECOLLECT_", "OPENAI_")) and not name.startswith("RECOLLECT_TEST_"):
            monkeypatch.delenv(name)
