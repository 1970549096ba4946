"""Long texts are read in a thread, short ones at once."""

from __future__ import annotations

import threading

import pytest

from memory.text.apart import FROM_CHARS, read_apart


@pytest.mark.anyio
async def test_only_long_texts_are_read_in_a_thread() -> None:
    here = threading.get_ident()
    assert await read_apart(threading.get_ident, FROM_CHARS - 1) == here
    assert await read_apart(threading.get_ident, FROM_CHARS) != here
