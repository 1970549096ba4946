"""Lets a reply out piece by piece while it is being written: only what has passed the check. Pure.

A reply that gives something away is replaced as a whole once it is complete; until then none of
what it gives away may have been shown. So the end of what was written is held back for as long as
it may be the beginning of something forbidden, and nothing more is let out once that is certain.
Ordinary text leaves as it comes.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from langchain_core.messages import AnyMessage

from nodes.checks.checked import TAGS, Checked
from nodes.checks.output import MAX_REPLY_CHARS, check_output, forbidden_pieces, looping_reply
from nodes.secrets import Secrets

_WORD = re.compile(r"\w+")
_TAG_BEGINS = re.compile(r"<(?:/?\s{0,8}[a-z]{0,6}\s{0,8})?\Z", re.IGNORECASE)

MIN_BEGUN = 24
"""So many characters of a forbidden piece, as bare words, are no coincidence."""


class ReplyGuard:
    """The check of one reply, fed with its pieces in order.

    Args:
        persona: The persona's text, which the prompt held.
        window: The lines before the reply, the current message last.
        secrets: What no reply may hold.
    """

    def __init__(self, persona: str, window: Sequence[AnyMessage], secrets: Secrets) -> None:
        self._persona, self._window, self._secrets = persona, window, secrets
        self._pieces = sorted(forbidden_pieces(persona))
        self._longest = max((len(piece) for piece in self._pieces), default=0)
        self._loop = looping_reply(window)
        self._words: list[tuple[int, str]] = []
        self._shown = 0
        self._is_closed = False
        self.said = ""

    def feed(self, piece: str) -> str:
        """Take the next piece of the reply; return what may be shown now, maybe nothing."""
        self._read(piece)
        start = self._shown or len(self.said) - len(self.said.lstrip())
        until = min(self._safe(start), self._piece_begins(len(piece)))
        if self._is_closed or until <= start:
            return ""
        self._shown = until
        return self.said[start:until]

    def finish(self) -> Checked:
        """Return the whole reply as it may be kept, with what was found."""
        return check_output(self.said, self._persona, self._window, self._secrets.are_in)

    def rest(self) -> str:
        """Return what of the finished reply was not shown yet; all of it where it was replaced."""
        text, shown = self.finish().text, self.said[: self._shown].lstrip()
        return text.lstrip().removeprefix(shown) if text.lstrip().startswith(shown) else text

    def _read(self, piece: str) -> None:
        """Append a piece; its first letters may belong to the last word."""
        start = self._words.pop()[0] if self._words else 0
        self.said += piece
        self._words += [
            (start + found.start(), found[0].casefold())
            for found in _WORD.finditer(self.said[start:])
        ]

    def _safe(self, start: int) -> int:
        """Return the place in the reply up to which nothing but a piece may begin."""
        pending = self.said[start:]
        if self._loop and self._loop.startswith(self.said):
            return start
        if TAGS.search(pending) or self._secrets.are_in(pending):
            self._is_closed = True
        tag = _TAG_BEGINS.search(pending)
        return min(
            start + (tag.start() if tag else len(pending)),
            start + self._secrets.begins_in(pending),
            # A longer reply is cut at a sentence end beyond its half.
            MAX_REPLY_CHARS // 2,
        )

    def _piece_begins(self, fed: int) -> int:
        """Return where the last words begin a forbidden piece; the reply's length if nowhere.

        Closes the reply when the `fed` last characters completed one.
        """
        begins, tail = len(self.said), ""
        for at, word in reversed(self._words):
            tail = f"{word} {tail}" if tail else word
            # A piece may begin within a word.
            if any(self._is_begun(tail[offset:]) for offset in range(len(word))):
                begins = at
            if len(tail) > self._longest + fed:
                break
        if any(piece in tail for piece in self._pieces):
            self._is_closed = True
        return begins

    def _is_begun(self, text: str) -> bool:
        at = bisect_left(self._pieces, text)
        is_begun = at < len(self._pieces) and self._pieces[at].startswith(text)
        return is_begun and len(text) >= MIN_BEGUN
