"""A process that reads messages of the ledger, by their uids, for facts, by its settings."""

from __future__ import annotations

import asyncio
import logging
import sys

from graph.bootstrap import Overrides, open_stores
from graph.settings import load_settings
from tests.fakes.chat_model import ScriptedChatModel
from tests.integration.asking.told import UNMARKED, read_one


async def main(uids: list[str]) -> None:
    """Read the messages, one after the other."""
    settings = load_settings()
    overrides = Overrides(model=ScriptedChatModel(), spans=UNMARKED)
    async with open_stores(settings, overrides, projects=False) as stores:
        for uid in uids:
            (stored,) = await stores.memory.ledger.messages(settings.tenant, [uid])
            await read_one(stores, stored.message)


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    asyncio.run(main(sys.argv[1:]))
