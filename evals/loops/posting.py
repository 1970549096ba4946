"""Posts webhooks of one channel to a world as its gateway does: signed, and again until taken."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Literal

from evals.errors import NotTaken, WorldDied
from evals.loops import waha_wire
from evals.loops.process import WorldProcess

POSTS = 300
"""How often a webhook is posted that the running server does not take."""
REPEAT_AFTER_S = 0.1
_ALSO_UNSERVED = (404, 405)


@dataclass(frozen=True, slots=True)
class Keys:
    """What the product and the gateways share in one run."""

    hmac: str
    api: str
    telegram: str


class Webhooks:
    """The way of one channel's webhooks to one world."""

    def __init__(
        self, world: WorldProcess, channel: Literal["waha", "telegram"], keys: Keys
    ) -> None:
        self._world = world
        self._channel = channel
        self._keys = keys

    async def post(self, account: str, body: bytes) -> str:
        """Post until it is answered by less than 500, as the gateways do.

        Returns what the server says became of it, such as `new` or `known`; empty where it
        refused it.

        Raises:
            WorldDied: the server ended by itself, or does not serve the channel.
            NotTaken: it was posted in vain so often.
        """
        for _ in range(POSTS):
            await self._world.serving()
            try:
                with self._world.posting():
                    answer = await self._world.poster.post(
                        f"/webhooks/{self._channel}/{account}", body, self._headers(body)
                    )
            except OSError:
                self._world.check()
            else:
                if answer.status in _ALSO_UNSERVED:
                    raise WorldDied(
                        f"the server takes no webhooks of {self._channel} ({answer.status})"
                    )
                if answer.status < 500:
                    return _status(answer.body) if answer.status < 300 else ""
            await asyncio.sleep(REPEAT_AFTER_S)
        raise NotTaken(f"the server did not take a webhook that was posted {POSTS} times")

    def _headers(self, body: bytes) -> dict[str, str]:
        if self._channel == "waha":
            return waha_wire.signed(body, self._keys.hmac, int(self._world.now() * 1000))
        return {
            "Content-Type": "application/json",
            "X-Telegram-Bot-Api-Secret-Token": self._keys.telegram,
        }


def _status(body: bytes) -> str:
    try:
        told = json.loads(body)
    except ValueError:
        return ""
    return str(told.get("status", "")) if isinstance(told, dict) else ""
