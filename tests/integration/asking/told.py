"""What tests of asking share: what is said, what a model answers, what came of it."""

from __future__ import annotations

import json
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from pydantic import SecretStr

from graph.bootstrap import Overrides, open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.domain.chats import Message
from memory.domain.facts import Fact
from memory.domain.readings import Reading
from memory.facts.learning import read_stored
from tests.fakes.chat_model import ScriptedChatModel
from tests.fakes.openai_server import OpenAIServer
from tests.messages import message
from tests.reading import ScriptedSpans

UNMARKED = ScriptedSpans()
DOUBTFUL = ScriptedSpans((("allergy", "walnuts", 0.4),))
SAID = "walnuts and me, we are sworn enemies"


@dataclass(frozen=True, slots=True)
class Opened:
    """Opens stores of one tenant, as often as processes are needed."""

    settings: Settings
    server: OpenAIServer
    stack: AsyncExitStack

    async def __call__(
        self,
        capture: str,
        spans: ScriptedSpans = UNMARKED,
        *,
        asks_again: bool = False,
        **more: object,
    ) -> Stores:
        """Return open stores; `more` are further settings."""
        asked = {
            "capture": capture,
            "model": "fake",
            "openai_base_url": f"{self.server.url}/v1",
            "openai_api_key": SecretStr("key"),
            "recall_model_s": 20.0,  # a loaded machine is not what is tested
        }
        given = self.settings.model_copy(update=asked | more)
        overrides = Overrides(model=ScriptedChatModel(), spans=spans)
        opening = open_stores(given, overrides, asks_again=asks_again)
        return await self.stack.enter_async_context(opening)


def said_in(stores: Stores, text: str, minutes: float = 0, sender: str = "ana") -> Message:
    """Return a message of a chat of the tenant, `minutes` after the start."""
    return message(text, tenant=stores.settings.tenant, minutes=minutes, chat=sender, sender=sender)


def fact(
    key: str = "allergy",
    value: str = "walnuts",
    quote: str = SAID,
    whose: str = "speaker",
    status: str = "stated",
    entry: int = 1,
) -> dict[str, Any]:  # Any: JSON
    """Return a fact as a model lists it."""
    return {
        "entry": entry,
        "key": key,
        "value": value,
        "quote": quote,
        "whose": whose,
        "status": status,
    }


def answer(*facts: object) -> str:
    """Return an answer that lists these facts."""
    return json.dumps({"facts": list(facts)})


async def active(stores: Stores, said: Message) -> list[Fact]:
    """Return what is known of a sender."""
    return await stores.memory.facts.active(said.chat.tenant, said.contact_id)


async def facts_of(stores: Stores, said: Message) -> dict[str, tuple[str, float]]:
    """Return what is known of a sender: value and confidence by key."""
    facts = await active(stores, said)
    return {each.key: (each.value, each.confidence) for each in facts}


async def reasons(stores: Stores) -> list[str]:
    """Return why something was rejected, sorted."""
    listed = await stores.memory.answers.rejections(stores.settings.tenant, 100)
    return sorted(each.refusal.reason for each in listed)


async def read_one(stores: Stores, said: Message) -> Reading:
    """Return what a message of the ledger tells, read as it is read first."""
    memory = stores.memory
    (reading,) = await read_stored(memory.reader, memory.ledger, said.chat.tenant, [said])
    return reading
