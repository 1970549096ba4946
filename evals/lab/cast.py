"""Who is in a chat of the lab, and what each of them may do next. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from evals.loops.cases import Account, Bot, Me

Channel = Literal["waha", "telegram"]
Place = Literal["group", "direct"]
Who = Literal["ana", "ben", "owner", "bot", "echo", "again", "edit", "restart", "hour"]

CHANNELS: Final[dict[Channel, str]] = {"waha": "WhatsApp (WAHA)", "telegram": "Telegram"}
PLACES: Final[dict[Place, str]] = {"group": "A group", "direct": "Direct chats"}
WHO: Final[dict[Who, str]] = {
    "ana": "Ana, a contact",
    "ben": "Ben, another contact",
    "owner": "The owner, by hand",
    "bot": "Another bot",
    "echo": "Our own message, echoed back",
    "again": "The same webhook, again",
    "edit": "An edit of what was said last",
    "restart": "The oldest message, after a restart",
    "hour": "Nobody: an hour passes",
}
SPEAKERS: Final[frozenset[Who]] = frozenset({"ana", "ben", "owner", "bot"})
"""Who says something; the others make something happen to what was said."""
PEOPLE: Final[frozenset[Who]] = frozenset({"ana", "ben"})
MOST_CHARS: Final = 2_000
"""Of a line; what is beyond is cut off."""
MOST_CHATS: Final = 40
"""Chats that one server of the lab is set up for."""


@dataclass(frozen=True, slots=True)
class Cue:
    """What happens next: who does it, the words where there are any, and whether we are meant."""

    who: Who
    text: str = ""
    is_meant: bool = False


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in a chat: an id of the channel, and a name."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Cast:
    """Everybody in the chat with this number; no two chats of a server share anybody."""

    channel: Channel
    number: int

    @property
    def account(self) -> Account:
        """Our own account."""
        if self.channel == "waha":
            return Account(session=f"lab.{self.number}", me=Me(id=self._waha_id(100)))
        return Account(bot=Bot(id=7_200_000_000 + self.number, username=f"lab_{self.number}_bot"))

    @property
    def group(self) -> str:
        """Id of the group."""
        if self.channel == "waha":
            return f"120363{self.number:012d}@g.us"
        return str(-(610_000_000 + self.number))

    def person(self, who: Who) -> Person:
        """Return who speaks: Ana, Ben, the owner or another bot."""
        names = {"ana": "Ana", "ben": "Ben", "owner": "Olga", "bot": "Quizzer"}
        number = 101 + list(names).index(who)
        if self.channel == "waha":
            # The owner writes on the phone that the account belongs to.
            return Person(self._waha_id(100 if who == "owner" else number), names[who])
        return Person(str(510_000_000 + self.number * 1_000 + number), names[who])

    def chat(self, who: Who, place: Place) -> str:
        """Return the chat in which somebody writes; each has a direct chat of their own.

        The owner's phone writes in Ana's; on Telegram the owner is a person like others.
        """
        if place == "group":
            return self.group
        is_phone = who == "owner" and self.channel == "waha"
        return self.person("ana" if is_phone else who).id

    def _waha_id(self, number: int) -> str:
        return f"4915{self.number:05d}{number:04d}@c.us"


def casts(channel: Channel) -> list[Cast]:
    """Return the casts that one server is set up for."""
    return [Cast(channel, number) for number in range(1, MOST_CHATS + 1)]
