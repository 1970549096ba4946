"""Ids for messages whose source gives them none. Pure."""

from __future__ import annotations

from collections import OrderedDict
from hashlib import blake2b

REMEMBERED_LINES = 16_384
"""Lines among which a repetition is noticed; enough for an hour that a clock runs twice."""


class LineIds:
    """Gives each line an id made of what it says and of how often it was said before.

    A longer export of the same chat gives the same line the same id.
    """

    def __init__(self) -> None:
        self._seen: OrderedDict[bytes, int] = OrderedDict()

    def next(self, time: str, line: str) -> str:
        """Return the id of the next line.

        Args:
            time: When it was sent, as written or normalised; free of the reader's time zone.
            line: Sender and text.
        """
        digest = blake2b(
            f"{time}\n{line}".encode("utf-8", "surrogatepass"), digest_size=12
        ).digest()
        seen = self._seen
        before = seen.pop(digest, 0)
        seen[digest] = before + 1
        if len(seen) > REMEMBERED_LINES:
            seen.popitem(last=False)
        return f"{digest.hex()}-{before}" if before else digest.hex()
