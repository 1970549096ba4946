"""What the chat writes: styled for a terminal, bare replies for a pipe."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol

from memory.domain.chats import Actor, StoredMessage
from nodes.commands.run import HELP as COMMAND_HELP

HELP = f"""\
{COMMAND_HELP}
/retry              ask again where a reply failed
/quit               leave (so does Ctrl-D); everything is remembered"""


class Screen(Protocol):
    """Where a conversation is shown."""

    def welcome(self, contact: str, model: str, history: Sequence[StoredMessage]) -> None:
        """Greet, with the last lines of the conversation, oldest first."""
        ...

    def read(self) -> str | None:
        """Return the next message of the person; None at the end of the input."""
        ...

    def token(self, text: str) -> None:
        """Show a piece of the reply as it is written."""
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


def printable(text: str) -> str:
    """Return text without control characters that would steer a terminal; lines and tabs stay."""
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) != "Cc")


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

    def welcome(self, contact: str, model: str, history: Sequence[StoredMessage]) -> None:
        """Say nothing."""

    def read(self) -> str | None:
        """Return the next line of standard input; bytes that are no UTF-8 become U+FFFD."""
        line = sys.stdin.buffer.readline()
        return line.decode("utf-8", "replace").rstrip("\r\n") if line else None

    def token(self, text: str) -> None:
        """Wait for the whole reply."""

    def reply(self, text: str) -> None:
        """Write the reply."""
        sys.stdout.write(text.encode("utf-8", "replace").decode("utf-8") + "\n")
        sys.stdout.flush()

    def receipt(self, line: str) -> None:
        """Say nothing."""

    def note(self, text: str) -> None:
        """Write what was asked for."""
        self.reply(text)

    def problem(self, text: str) -> None:
        """Write a line to standard error."""
        sys.stderr.write(text + "\n")


class TerminalScreen:
    """A conversation for a person, with colours, through rich."""

    def __init__(self) -> None:
        from rich.console import Console

        self._console = Console(highlight=False, markup=False, emoji=False)
        self._streamed = ""
        if hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(errors="replace")
        with suppress(ImportError):
            import readline  # noqa: F401  # gives `input` line editing

    def welcome(self, contact: str, model: str, history: Sequence[StoredMessage]) -> None:
        """Greet and show the last lines."""
        self._console.print("Recollect", style="bold cyan", end="")
        self._console.print(f"  {contact} · {model} · /help lists the commands", style="dim")
        for speaker, text in history_lines(history):
            self._console.print(f"{speaker:>9} › {text}", style="dim", soft_wrap=True)

    def read(self) -> str | None:
        """Prompt for a line."""
        try:
            return input("\n    you › ")
        except EOFError:
            self._console.print()
            return None

    def token(self, text: str) -> None:
        """Write a piece of the reply."""
        if not self._streamed:
            self._console.print("  agent › ", style="cyan", end="")
        self._streamed += text
        self._console.print(printable(text), end="", soft_wrap=True)

    def reply(self, text: str) -> None:
        """End the line; write the reply where the pieces were not all of it."""
        streamed, self._streamed = self._streamed, ""
        if streamed:
            self._console.print()
        if streamed.strip() != text.strip():
            self._console.print("  agent › ", style="cyan", end="")
            self._console.print(printable(text), soft_wrap=True)

    def receipt(self, line: str) -> None:
        """Show the receipt, dim."""
        self._console.print(f"          {printable(line)}", style="dim", soft_wrap=True)

    def note(self, text: str) -> None:
        """Show a note."""
        self._console.print(printable(text), style="dim", soft_wrap=True)

    def problem(self, text: str) -> None:
        """Show a problem, in yellow."""
        if self._streamed:
            self._streamed = ""
            self._console.print()
        self._console.print(printable(text), style="yellow", soft_wrap=True)
