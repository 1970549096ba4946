"""Shared by all tests: async on asyncio, and an environment that no setting of the user reaches."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

from memory.embedded import EmbeddedStores, lease
from tests.stores import open_folder, remove_folders

# The tests start hundreds of processes, and each would compile every module again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# How long an example takes is the machine's affair.
settings.register_profile("unhurried", settings.default, deadline=None)
settings.load_profile("unhurried")

# A shell that starts the tests in the background has them ignore Ctrl-C, and so would every
# process that they start and press Ctrl-C on.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every setting and key out of the environment: no test reaches a real model."""
    for name in os.environ:
        if name.startswith(("RECOLLECT_", "OPENAI_")) and not name.startswith("RECOLLECT_TEST_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("RECOLLECT_SETTINGS_FILE", os.devnull)
    # How long a store takes is the machine's affair, too.
    monkeypatch.setenv("RECOLLECT_STORE_PATIENCE_S", "30")


@pytest.fixture(autouse=True, scope="module")
def memory_given_back() -> Iterator[None]:
    """Give freed memory back after each module, and that of its stores' folders, which lie in it.

    Models that come and go leave gigabytes of it.
    """
    yield
    remove_folders()
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):  # glibc's
        trim(0)


@pytest.fixture(scope="session")
def embedded() -> Iterator[EmbeddedStores]:
    """Postgres and Chroma for the whole session, in a folder that nobody else uses."""
    with lease(open_folder()) as held:
        yield held.stores
