"""Files of weights, opened by one thread at a time.

numpy reads the head of each array with `ast.literal_eval`, and before CPython 3.11.8 and 3.12.2 two
threads that parse at once may both fail: "AST constructor recursion depth mismatch".

Source: https://github.com/python/cpython/issues/106905
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Final

import numpy as np
from numpy.lib.npyio import NpzFile

_ONE: Final = RLock()


@contextmanager
def opened(file: Path) -> Iterator[NpzFile]:
    """Open an npz file; until it is closed no other thread opens one.

    Raises:
        OSError: it cannot be read.
    """
    with _ONE, np.load(file) as packed:
        yield packed
