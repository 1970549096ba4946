"""The Telegram bots that the settings name: their clients, who they are, and how they carry."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from channels.errors import GatewayUnavailable, SendRefused
from channels.telegram.content import BotIdentity
from graph.settings import Settings
from memory.domain.chats import ChatRef
from memory.domain.work import Delivery, Sighting
from server.sending.carriers import presence

if TYPE_CHECKING:
    from channels.telegram.client import TelegramClient


class Bots:
    """Bots by account, which is a bot's id as text. An async context manager."""

    def __init__(self, settings: Settings) -> None:
        self._tokens = settings.telegram_bots
        self._api_url = settings.telegram_api_url
        self._clients: dict[str, TelegramClient] = {}
        self._identities: dict[str, BotIdentity] = {}

    async def __aenter__(self) -> Self:
        """Return the bots themselves; nothing is called before it is needed."""
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the connections."""
        for client in self._clients.values():
            await client.aclose()

    @property
    def accounts(self) -> Sequence[str]:
        """The bots' ids, in the order of the settings."""
        return tuple(self._tokens)

    def client(self, account: str) -> TelegramClient:
        """Return a bot's client.

        Raises:
            GatewayUnavailable: no token of the settings is this bot's.
        """
        if account not in self._tokens:
            raise GatewayUnavailable(
                f"no token for the bot {account}: add it to RECOLLECT_TELEGRAM_TOKENS"
            )
        if account not in self._clients:
            # Imported with the first bot: the library costs half a second.
            from channels.telegram.client import TelegramClient

            token = self._tokens[account].get_secret_value()
            self._clients[account] = TelegramClient(token, self._api_url)
        return self._clients[account]

    async def identity(self, account: str) -> BotIdentity:
        """Return who a bot is; asked once.

        Raises:
            GatewayUnavailable: Telegram does not answer, or does not know the token.
        """
        if account not in self._identities:
            self._identities[account] = await self.client(account).identity()
        return self._identities[account]


class TelegramCarrier:
    """`Carrier` over the bots. Telegram has no way to look up what a bot sent."""

    def __init__(self, bots: Bots) -> None:
        self._bots = bots

    async def send(self, delivery: Delivery) -> str:
        """Send one message and return its id within the chat."""
        chat = delivery.chat
        try:
            client = self._bots.client(chat.account)
        except GatewayUnavailable as error:
            raise SendRefused(str(error)) from error
        return await client.send_text(
            chat.chat_id, delivery.text, reply_to=delivery.reply_to or None, topic=chat.topic
        )

    async def mark_seen(self, chat: ChatRef) -> None:
        """Do nothing: a bot's chats show no read marks."""

    async def show_typing(self, chat: ChatRef) -> None:
        """Show the typing indicator, or leave it; it lasts five seconds."""
        async with presence():
            await self._bots.client(chat.account).start_typing(chat.chat_id, chat.topic)

    async def stop_typing(self, chat: ChatRef) -> None:
        """Do nothing: the indicator ends by itself."""

    async def look_up(self, delivery: Delivery) -> list[Sighting] | None:
        """Return None: there is no way to ask."""
        return None
