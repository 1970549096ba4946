"""Calls to the Telegram Bot API. One attempt each: repeating is the outbox's business.

No text and no token is ever logged or put into an error.
"""

from __future__ import annotations

import html as entities
import json
import re
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlencode

from channels.errors import GatewayUnavailable, MalformedPayload, SendRefused
from channels.telegram.content import BotIdentity
from channels.telegram.payload import Me
from channels.wire import read

if TYPE_CHECKING:
    from telegram import Message

TIMEOUT_S = 10.0
"""For connecting and for an answer, each."""
API_URL = "https://api.telegram.org"
ALLOWED_UPDATES = (
    "message",
    "edited_message",
    "channel_post",
    "edited_channel_post",
    "message_reaction",
    "my_chat_member",
)
"""What we ask for. Without a list Telegram leaves reactions out."""
MAX_UPDATES = 100
"""In one answer. Source: Telegram Bot API, getUpdates, parameter `limit`."""
_TAG = re.compile(
    r"</?(?:a|b|blockquote|code|del|em|i|ins|pre|s|span|strike|strong|u|tg-[a-z]+)"
    r"(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
"""The tags Telegram reads. Source: Telegram Bot API, formatting options, HTML style."""


class TelegramClient:
    """One bot. Close it, or use it as an async context manager."""

    def __init__(self, token: str, api_url: str = API_URL, timeout_s: float = TIMEOUT_S) -> None:
        """Remember where to call.

        Args:
            token: The bot's token, `<id>:<secret>`.
            api_url: The Bot API, Telegram's own or a local server's.
            timeout_s: For connecting and for an answer, each.

        Raises:
            GatewayUnavailable: The token is empty.
        """
        # It costs half a second and 40 MB, which only those with a bot need to pay.
        from telegram import Bot

        from channels.telegram import transport

        if not token:
            raise GatewayUnavailable(f"{transport.TOKENS_SETTING}: a bot's token is empty")
        self._failures = transport
        transport.keep_quiet()
        self._timeout_s = timeout_s
        self._request, self._polling = (
            transport.Request(
                connection_pool_size=size,
                read_timeout=timeout_s,
                write_timeout=timeout_s,
                connect_timeout=timeout_s,
                pool_timeout=timeout_s,
            )
            for size in (16, 1)
        )
        self._bot = Bot(
            token,
            base_url=f"{api_url.rstrip('/')}/bot",
            request=self._request,
            get_updates_request=self._polling,
        )

    async def __aenter__(self) -> Self:
        """Return the client itself."""
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the connections."""
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._request.shutdown()
        await self._polling.shutdown()

    async def identity(self) -> BotIdentity:
        """Return who we are. Raises GatewayUnavailable."""
        try:
            me = read(Me, await self._ask("getMe"), "result")
        except MalformedPayload as exc:
            raise GatewayUnavailable("getMe: the answer names no bot") from exc
        return BotIdentity(me.id, me.username)

    async def send_text(
        self, chat_id: str, html: str, reply_to: str | None = None, topic: str = ""
    ) -> str:
        """Send one message and return its id.

        If Telegram does not take the markup, the words go out once more without it. If the message
        replied to is gone, this one is sent as no reply.

        Args:
            chat_id: Where to.
            html: Already in Telegram's HTML.
            reply_to: Id of the message answered.
            topic: The forum topic; empty for none.

        Raises:
            SendRefused: It was certainly not sent. `is_final` where it cannot be as it is.
            ChatHasMoved: It was not sent; the chat has another id now.
            SendUncertain: It may have been sent.
        """
        where, thread = _number(chat_id), (_number(topic) if topic else None)
        answered = _number(reply_to) if reply_to else None
        try:
            with self._failures.sending():
                return await self._send(where, html, answered, thread, parse_mode="HTML")
        except SendRefused as exc:
            if "can't parse entities" not in str(exc):
                raise
        with self._failures.sending():
            return await self._send(where, plain_text(html), answered, thread, parse_mode=None)

    async def _send(
        self, chat: int, text: str, reply_to: int | None, thread: int | None, parse_mode: str | None
    ) -> str:
        from telegram import ReplyParameters

        sent: Message = await self._bot.send_message(
            chat,
            text,
            parse_mode=parse_mode,
            message_thread_id=thread,
            reply_parameters=ReplyParameters(reply_to, allow_sending_without_reply=True)
            if reply_to is not None
            else None,
        )
        return str(sent.message_id)

    async def start_typing(self, chat_id: str, topic: str = "") -> None:
        """Show the typing indicator, for 5 s at most. Raises GatewayUnavailable."""
        with self._failures.asking("typing"):
            thread = int(topic) if topic else None
            await self._bot.send_chat_action(int(chat_id), "typing", message_thread_id=thread)

    async def updates(self, offset: int, timeout_s: float) -> list[dict[str, Any]]:
        """Wait for updates and return them as they came, oldest first, at most 100.

        Telegram forgets those before `offset`: pass the last id + 1, once it is stored. Updates
        are not parsed here: one that cannot be read must not hold up the others.

        Args:
            offset: Id of the first update wanted; 0 for whatever waits.
            timeout_s: How long to wait when none does; Telegram counts whole seconds.

        Raises:
            GatewayUnavailable: Telegram did not answer, or somebody else takes this bot's updates.
        """
        wait_s = round(timeout_s)
        found = await self._ask(
            "getUpdates",
            {
                "offset": offset,
                "timeout": wait_s,
                "limit": MAX_UPDATES,
                "allowed_updates": json.dumps(ALLOWED_UPDATES),
            },
            wait_s=wait_s,
        )
        if not isinstance(found, list):
            raise GatewayUnavailable("getUpdates: the answer is no list")
        return [update for update in found if isinstance(update, dict)]

    async def delete_webhook(self) -> None:
        """Stop webhooks, so that updates can be polled; none is lost. Raises GatewayUnavailable."""
        with self._failures.asking("deleteWebhook"):
            await self._bot.delete_webhook(drop_pending_updates=False)

    async def set_webhook(self, url: str, secret: str) -> None:
        """Have updates posted to an address, with the secret in a header.

        Args:
            url: A https address that Telegram can reach.
            secret: 1 to 256 characters out of A-Z, a-z, 0-9, _ and -.

        Raises:
            GatewayUnavailable: Telegram did not take it.
        """
        with self._failures.asking("setWebhook"):
            await self._bot.set_webhook(url, secret_token=secret, allowed_updates=ALLOWED_UPDATES)

    async def _ask(
        self, method: str, params: dict[str, Any] | None = None, wait_s: float = 0
    ) -> object:
        """Call for an answer as it is: the library's own parsing logs what it cannot read."""
        request = self._polling if method == "getUpdates" else self._request
        query = f"?{urlencode(params)}" if params else ""
        with self._failures.asking(method):
            return await request.post(
                f"{self._bot.base_url}/{method}{query}", read_timeout=self._timeout_s + wait_s
            )


def plain_text(html: str) -> str:
    """Return the words of Telegram's HTML, without its tags and with its entities read."""
    return entities.unescape(_TAG.sub("", html))


def _number(value: str) -> int:
    """Read an id of ours as Telegram's; what came in through Telegram always is one."""
    try:
        return int(value)
    except ValueError:
        raise SendRefused("send: an id is no number", is_final=True) from None
