"""Long messages in parts that a reader takes at once, cut between sentences. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

MAX_PART: Final = 600
"""Characters; about 150 word pieces, and no more than as many pieces in any language."""

_BREAKS: Final = re.compile(r"[.!?…][ \n]|\n")


def parts_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield where each part begins, and the part; a text of ordinary length is one."""
    start = 0
    while len(text) - start > MAX_PART:
        window = text[start : start + MAX_PART]
        ends = [found.end() for found in _BREAKS.finditer(window)]
        end = ends[-1] if ends and ends[-1] > MAX_PART // 3 else window.rfind(" ") + 1
        end = end if end > MAX_PART // 3 else MAX_PART
        yield start, text[start : start + end]
        start += end
    yield start, text[start:]
