"""Ways to break the product, called in a world's process before it serves."""

from __future__ import annotations

from typing import Any

from channels import actor
from channels.waha import normalize
from channels.waha.client import WahaClient
from memory.domain.chats import Actor


def send_twice() -> None:
    """Send every text twice."""
    original = WahaClient.send_text

    async def send_text(self: WahaClient, *args: Any, **kwargs: Any) -> str:
        await original(self, *args, **kwargs)
        return await original(self, *args, **kwargs)

    WahaClient.send_text = send_text  # type: ignore[method-assign]


def take_machines_for_people() -> None:
    """Decide that whatever a machine says was said by a contact."""
    original = actor.decide_actor

    def decide_actor(**known: Any) -> Actor:
        decided = original(**known)
        return Actor.CONTACT if decided is Actor.AUTOMATION else decided

    setattr(normalize, "decide_actor", decide_actor)  # noqa: B010 the module only imports it


def send_nothing() -> None:
    """Say that a text was sent, and keep it."""

    async def send_text(self: WahaClient, *args: Any, **kwargs: Any) -> str:
        del self, args, kwargs
        return "NOTHING"

    WahaClient.send_text = send_text  # type: ignore[method-assign]


def die() -> None:
    """End before serving."""
    raise SystemExit("no stores today")
