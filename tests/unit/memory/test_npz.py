"""Files of weights are read by several threads at once."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from memory.npz import opened
from memory.recall.ranking.attention import FILE


class Dropped:
    """In a cycle of its own, so that the collector runs Python, and threads change, anywhere."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        for _ in range(50):
            pass


@pytest.fixture
def changing_threads() -> Iterator[None]:
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(20, 2, 2)
    yield
    gc.set_threshold(*thresholds)
    sys.setswitchinterval(interval)


def test_threads_read_weights_at_once(changing_threads: None) -> None:
    def read(_: int) -> int:
        Dropped()
        with opened(FILE) as packed:
            return sum(np.asarray(packed[name]).size for name in packed.files)

    with ThreadPoolExecutor(4) as threads:
        sizes = set(threads.map(read, range(120)))
    assert len(sizes) == 1
