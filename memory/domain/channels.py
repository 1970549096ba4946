"""What memory has to know of a channel's habits. Pure data: every process must derive the same ids.

Which channels there are, and how each writes its messages, is in `channels/`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

INGEST: Final = "api"
"""Conversations that other systems lead and hand over."""


@dataclass(frozen=True, slots=True)
class ChannelTraits:
    """A channel's habits.

    `has_account_ids`: message ids are unique within an account, so that one message may come under
    two ids of its chat (a hidden and a phone id) and the chat is no part of its key.
    `hidden_suffix`: what hidden ids of people end with; empty where there are none.
    `is_synchronous`: whoever runs the turn hands the reply over, nothing is sent.
    `is_silent`: never answered.
    """

    has_account_ids: bool = False
    hidden_suffix: str = ""
    is_synchronous: bool = False
    is_silent: bool = False

    def is_hidden(self, each: str) -> bool:
        """Tell whether an id of a person or a chat is a hidden one."""
        return bool(self.hidden_suffix) and each.endswith(self.hidden_suffix)


_TRAITS: Final = {
    "waha": ChannelTraits(has_account_ids=True, hidden_suffix="@lid"),
    "web": ChannelTraits(is_synchronous=True),
    INGEST: ChannelTraits(is_silent=True),
}
_DEFAULTS: Final = ChannelTraits()
_NAMES: Final = {"waha": "whatsapp"}  # whose name in ids is that of the gateway


def traits_of(channel: str) -> ChannelTraits:
    """Return a channel's habits; one without any of its own has the defaults."""
    return _TRAITS.get(channel, _DEFAULTS)


def channel_name(channel: str) -> str:
    """Return where people write, as they call it; ids and chats have the channel's own name."""
    return _NAMES.get(channel, channel)
