"""Where a conversation is shown: what every screen offers, and bare replies for a pipe."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Sequence
from typing import Protocol

from memory.domain.chats import Actor, StoredMessage


class Screen(Protocol):
    """Where a conversation is shown."""

    def token(self, text: str) -> None:
        """Show a piece of the reply as it is written."""
        ...

    def begin_again(self) -> None:
        """Say that the pieces so far are no part of the reply, which is written anew."""
        ...

    def reply(self, text: str) -> None:
        """End the reply: `text` is all of it, whatever the pieces were."""
        ...

    def receipt(self, line: str) -> None:
        """Show what the reply was based on."""
        ...

    def note(self, text: str) -> None:
        """Show something that the agent did not say."""
        ...

    def problem(self, text: str) -> None:
        """Show one line about what went wrong."""
        ...


_TURNED = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Signs that show the letters around them in another order than they are written in."""


def printable(text: str) -> str:
    """Return text without signs that would steer a terminal; lines and tabs stay."""
    return "".join(
        c for c in text if c in "\n\t" or not (unicodedata.category(c) == "Cc" or c in _TURNED)
    )


def history_lines(history: Sequence[StoredMessage], width: int = 100) -> list[tuple[str, str]]:
    """Return earlier messages as (speaker, text), each text in one line of at most `width`."""
    lines = []
    for stored in history:
        message = stored.message
        speaker = "you" if message.actor is Actor.CONTACT else message.actor.value
        text = " ".join(printable(message.text).split())
        lines.append((speaker, text if len(text) <= width else text[: width - 1] + "…"))
    return lines


class PipeScreen:
    """Replies on standard output, a line each; problems on standard error; nothing else."""

    def read(self) -> str | None:
        """Return the next line of standard input; bytes that are no UTF-8 become U+FFFD."""
        line = sys.stdin.buffer.readline()
        return line.decode("utf-8", "replace").rstrip("\r\n") if line else None

    def token(self, text: str) -> None:
        """Wait for the whole reply."""

    def begin_again(self) -> None:
        """Say nothing: no piece was shown."""

    def reply(self, text: str) -> None:
        """Write the reply."""
        sys.stdout.write(printable(text).encode("utf-8", "replace").decode("utf-8") + "\n")
        sys.stdout.flush()

    def receipt(self, line: str) -> None:
        """Say nothing."""

    def note(self, text: str) -> None:
        """Write what was asked for."""
        self.reply(text)

    def problem(self, text: str) -> None:
        """Write a line to standard error."""
        sys.stderr.write(text + "\n")
