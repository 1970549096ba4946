"""A conversation for a person at a terminal: colours, and lines that end at words."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from memory.domain.chats import StoredMessage
from ui.cli.terminal import history_lines, printable
from ui.cli.wrapping import Wrapping, wrapped

BEGUN_AGAIN = "The answer broke off; it starts again here."
INDENT = 10
NARROW = 40
"""Columns: on a terminal that is narrower, replies are not indented."""


class TerminalScreen:
    """Writes to standard output, through rich."""

    def __init__(self) -> None:
        self._console = Console(highlight=False, markup=False, emoji=False)
        self._streamed = ""
        self._wrapping: Wrapping | None = None

    def opening(self) -> None:
        """Say what is being started."""
        self._console.print("Recollect", style="bold cyan", end="")
        self._console.print("  opening the memory; you can type already", style="dim")

    def welcome(
        self, contact: str, model: str, history: Sequence[StoredMessage], notices: Sequence[str]
    ) -> None:
        """Greet, with the last lines of the conversation, oldest first."""
        self.note(f"{contact} · {model} · /help lists the commands")
        for notice in notices:
            self.note(notice)
        width = self._console.width
        for speaker, text in history_lines(history, max(width - INDENT, 1)):
            shown = f"{speaker} › ".rjust(INDENT) + text
            self._console.print(shown, style="dim", soft_wrap=True)

    def token(self, text: str) -> None:
        """Write a piece of the reply."""
        if self._wrapping is None:
            self._begin_reply()
        self._streamed += text
        self._write(printable(text))

    def begin_again(self) -> None:
        """Say that the answer starts again, below what was written of it."""
        self.note(BEGUN_AGAIN)

    def reply(self, text: str) -> None:
        """End the line; write the reply where the pieces were not all of it."""
        streamed = self._streamed
        self.end_line()
        if streamed.strip() != text.strip():
            self._begin_reply()
            self._write(printable(text))
            self.end_line()

    def receipt(self, line: str) -> None:
        """Show the receipt, dim."""
        self._show(line, "dim", self._indent)

    def note(self, text: str) -> None:
        """Show a note, dim."""
        self._show(text, "dim")

    def problem(self, text: str) -> None:
        """Show a problem, in yellow."""
        self._show(text, "yellow")

    def end_line(self) -> None:
        """End a reply that is being written, whole or not."""
        if self._wrapping is not None:
            self._console.print(self._wrapping.end(), soft_wrap=True)
        self._streamed, self._wrapping = "", None

    @property
    def _indent(self) -> int:
        return INDENT if self._console.width >= NARROW else 0

    def _begin_reply(self) -> None:
        self._console.print("agent › ".rjust(INDENT), style="cyan", end="")
        if not self._indent:
            self._console.print()
        self._wrapping = Wrapping(self._console.width, self._indent)

    def _write(self, text: str) -> None:
        if self._wrapping is not None:
            self._console.print(self._wrapping.feed(text), end="", soft_wrap=True)

    def _show(self, text: str, style: str, indent: int = 0) -> None:
        self.end_line()
        shown = " " * indent + wrapped(printable(text), self._console.width, indent)
        self._console.print(shown, style=style, soft_wrap=True)
