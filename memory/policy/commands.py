"""What counts as a command in a text. Pure; `nodes.commands` carries them out."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory.domain.chats import Actor, Message
from memory.policy.rules import Policy

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


def is_command(message: Message, policy: Policy) -> bool:
    """Tell whether a message is for the machine alone: a command that is carried out or refused.

    Decided once, when the message comes in. Somebody else's is one where the policy refuses it. In
    a group, a command that names a bot is ours only where the channel says that we are mentioned.
    An unknown one is answered only in the owner's own chat; forwarded text commands nothing.
    """
    command = parse_command(message.text)
    is_person = message.actor in (Actor.CONTACT, Actor.OWNER)
    if command is None or message.forwarded or not is_person:
        return False
    if message.is_group and command.bot and not message.mentions_agent:
        return False
    if not message.may_instruct:
        return bool(command.name) and policy.from_others == "refused"
    return bool(command.name) or (not message.is_group and message.actor is Actor.CONTACT)
