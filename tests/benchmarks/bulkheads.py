"""How long healthy accounts' replies take to leave, alone and beside gateways that hang.

`python -m tests.benchmarks.bulkheads [--rounds N] [--json FILE]` starts embedded stores, a gateway
of many sessions and a deliverer. Sixteen accounts get a reply each, four times a second at most; a
reply's delay is the time from its place in the outbox to the gateway. Then the same beside 64
accounts, and beside 64 chats of one account, whose sends get no answer and which get replies all
the time, too.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from graph.bootstrap import open_stores
from graph.settings import load_settings
from graph.stores import Stores
from server.sending.carriers import WahaCarrier
from server.sending.delivery import Deliverer
from server.sending.gateway import Gateway
from tests.fakes.waha_gateway import WahaGateway
from tests.integration.server.sending import reply
from tests.stores import store_environment

HEALTHY = [f"well{number}" for number in range(16)]
HUNG = [f"hung{number}" for number in range(64)]
ROUND_S = 0.25
PATIENCE_S = 60.0
"""After the last round; what has not left by then is counted."""

Chat = tuple[str, str]
"""An account and a chat of it."""


async def play(
    stores: Stores, gateway: WahaGateway, hanging: Sequence[Chat], rounds: int
) -> dict[str, float]:
    """Let replies be stored round by round and return how long the healthy accounts' took."""
    gateway.hanging = {account for account, _ in hanging}
    gateway.sent.clear()
    stored_at: dict[str, float] = {}
    async with Gateway(stores.settings, stores.memory.identities) as client:
        deliverer = Deliverer(stores, {"waha": WahaCarrier(client)})
        running = asyncio.create_task(deliverer.run())
        for number in range(rounds):
            begun = time.monotonic()
            for account, chat in hanging:
                await reply(stores, account, chat)
            deliverer.wake()
            for account in HEALTHY:
                text = f"{len(hanging)} {account} {number}"
                await reply(stores, account, f"{account}@c.us", text)
                stored_at[text] = time.time()
                deliverer.wake()
            await asyncio.sleep(max(0.0, begun + ROUND_S - time.monotonic()))
        deadline = time.monotonic() + PATIENCE_S
        while len(gateway.sent) < len(stored_at) and time.monotonic() < deadline:  # noqa: ASYNC110
            await asyncio.sleep(0.1)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    delays = sorted(sent.received_at - stored_at[sent.text] for sent in gateway.sent)
    return {
        "replies": len(stored_at),
        "not_sent": len(stored_at) - len(delays),
        "delay_ms_p50": round(delays[len(delays) // 2] * 1000, 1) if delays else 0.0,
        "delay_ms_p95": round(delays[int(len(delays) * 0.95)] * 1000, 1) if delays else 0.0,
        "delay_ms_max": round(delays[-1] * 1000, 1) if delays else 0.0,
    }


async def run(folder: Path, rounds: int) -> dict[str, dict[str, float]]:
    """Play each scenario on stores of its own."""
    scenarios: dict[str, list[Chat]] = {
        "alone": [],
        "beside 64 accounts that hang": [(account, f"{account}@c.us") for account in HUNG],
        "beside 64 chats of one that hangs": [("hung", f"{chat}@c.us") for chat in HUNG],
    }
    figures = {}
    with WahaGateway(others=True, mode="none") as gateway:
        os.environ["RECOLLECT_WAHA_URL"] = gateway.url
        os.environ["RECOLLECT_SEND_PACE_MS"] = "0"
        for number, (name, hanging) in enumerate(scenarios.items()):
            os.environ |= store_environment(folder / str(number))
            async with open_stores(load_settings()) as stores:
                figures[name] = await play(stores, gateway, hanging, rounds)
    return figures


def main() -> int:
    """Run from the command line; return the exit status."""
    parser = argparse.ArgumentParser(description="Measure replies beside gateways that hang.")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = asyncio.run(run(Path(folder), arguments.rounds))
    print(json.dumps(figures, indent=1))
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
