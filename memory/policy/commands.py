"""What counts as a command in a text. Pure; `nodes.commands` carries them out."""

from __future__ import annotations

import re
from dataclasses import dataclass

NAMES = ("policy", "pause", "resume", "reset", "why", "forget", "facts", "help")
SILENT = frozenset({"pause", "resume", "reset"})
"""Commands that take effect without a reply, in a contact's chat and in groups."""

# Telegram writes a command to one of several bots as /name@bot, and greets every bot with /start.
_COMMAND = re.compile(r"/([a-z]+)(@\w+)?(?:\s+(.*))?", re.IGNORECASE | re.DOTALL)
_ALIASES = {"start": "help"}


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its name, what follows it, and the bot that it names. Name empty: unknown."""

    name: str
    args: str = ""
    bot: str = ""
    word: str = ""


def parse_command(text: str) -> Command | None:
    """Read a text as a command; None when it is none.

    An unknown name is read as a command only where it stands alone: `/shrug` may be a slip, and
    `/tmp is full` is a sentence.
    """
    found = _COMMAND.fullmatch(text.strip())
    if found is None:
        return None
    word, bot, args = found.group(1).lower(), found.group(2) or "", (found.group(3) or "").strip()
    name = _ALIASES.get(word, word)
    if name in NAMES:
        return Command(name, args, bot.removeprefix("@"), word)
    return None if args else Command("", "", bot.removeprefix("@"), word)


def is_known_command(text: str) -> bool:
    """Tell whether a text is one of our commands."""
    command = parse_command(text)
    return command is not None and bool(command.name)
