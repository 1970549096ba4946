"""One person writes on and on: what a turn costs, and whether what is known stays right (L5).

`python -m tests.benchmarks.long_chat --turns 5000 --to FILE`: a hundred turns of
`hundred_turns.txt`, then made-up ones in sittings, on embedded stores of their own with the
offline responder. The clock is the chat's: a sitting is minutes, between two are hours. After
each turn everything behind it is waited for and its processor time taken. A line of JSON a turn
goes to the file as it is. `--played 100`: only the last hundred are played, those before them are
imported. `--plot FILE ...` makes plots and a table of what was written.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from pydantic import PrivateAttr

from evals.latency.processor import processor_time
from graph.agent import Agent, Failed, Finished, Stored
from graph.bootstrap import Overrides, agent_on, open_stores
from graph.models.offline.responder import OfflineResponder
from graph.settings import Settings
from memory.projection.importing import import_batches
from memory.text.chunks import estimate_tokens
from tests.benchmarks.long_chat_plan import EXPECTED, QUESTION, planned, story
from tests.benchmarks.long_chat_plots import write_plots


@dataclass(slots=True)
class Cost:
    """What one turn cost. Times in milliseconds, `rss` in MiB.

    `reply_cpu_ms` is this process's time until the reply is stored and the stores' with it;
    `background_ms` this process's alone behind that, `stores_ms` the stores'.
    """

    turn: int
    text: str
    at: str
    begins: str
    reply: str = ""
    prompt_tokens: int = 0
    reply_ms: float = 0.0
    reply_cpu_ms: float = 0.0
    background_ms: float = 0.0
    stores_ms: float = 0.0
    rss: int = 0


class Counted(OfflineResponder):
    """The offline responder where something is asked, else a word; counts what it is given.

    That it is offline and has no model would be, said 5,000 times, what the chat is about.
    """

    _tokens: int = PrivateAttr(default=0)

    @property
    def tokens(self) -> int:
        """About how many tokens the last prompt had."""
        return self._tokens

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # Any: as in the base class
    ) -> Any:
        self._tokens = sum(estimate_tokens(str(each.content)) for each in messages)
        if not str(messages[-1].content).rstrip().endswith("?"):
            yield ChatGenerationChunk(message=AIMessageChunk(content="I see."))
            return
        for chunk in self._stream(messages):
            yield chunk


async def play(settings: Settings, turns: int, played: int, to: Path) -> None:
    """Play the last turns one by one, and write what each cost, and at the end what is known."""
    model, plan = Counted(), planned(turns, datetime.now(UTC))
    story_ends, begin = len(list(story())), turns - played
    now = plan[0].at
    overrides = Overrides(model=model, clock=lambda: now)
    async with open_stores(settings, overrides) as stores:
        agent = agent_on(stores)
        with to.open("w", encoding="utf-8") as file:
            before = [replace(agent.local_message(turn.text), sent_at=turn.at) for turn in plan]
            batches = [before[at : min(at + 256, begin)] for at in range(0, begin, 256)]
            await import_batches(stores.memory, stores.projector, batches)
            for number, turn in enumerate(plan[begin:], begin + 1):
                now = turn.at
                cost = Cost(number, turn.text, turn.at.isoformat(), turn.begins)
                await _turn(agent, cost, settings.data_dir)
                cost.prompt_tokens, cost.rss = model.tokens, _rss()
                print(json.dumps(asdict(cost)), file=file, flush=True)
                if number in (story_ends, turns):
                    print(json.dumps(await _known(agent, number)), file=file, flush=True)


async def _turn(agent: Agent, cost: Cost, folder: Path | None) -> None:
    stores, own, began = _stores_ms(folder), time.process_time(), time.perf_counter()
    async for event in agent.send(agent.local_message(cost.text)):
        if isinstance(event, Stored):
            cost.reply_ms = (time.perf_counter() - began) * 1000
            cost.reply_cpu_ms = (time.process_time() - own) * 1000
            at_reply = _stores_ms(folder)
            cost.reply_cpu_ms += at_reply - stores
            own = time.process_time()
        elif isinstance(event, Finished):
            cost.reply = event.reply
        elif isinstance(event, Failed):
            raise RuntimeError(event.reason)
    await agent.stores.projector.caught_up()
    cost.background_ms = (time.process_time() - own) * 1000
    cost.stores_ms = _stores_ms(folder) - at_reply


def _stores_ms(folder: Path | None) -> float:
    """Return what the stores have used. To look costs this process some milliseconds."""
    used = processor_time(folder)
    return (used.postgres or 0) + (used.chroma or 0)


async def _known(agent: Agent, turns: int) -> dict[str, object]:
    """Return the facts, and where episodes begin."""
    thread = agent.local_chat().thread_id
    tenant = agent.stores.settings.tenant
    episodes = await agent.stores.memory.episodes.of_chat(tenant, thread, 10_000)
    facts = [f"{fact.key}: {fact.value}" for fact in await agent.facts()]
    return {
        "after": turns,
        "facts": facts,
        "begun": [each.began_at.isoformat() for each in episodes],
        "topics": [each.summary.topic if each.summary else "" for each in episodes[:8]],
    }


def _rss() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20


def main() -> None:
    """Play, or plot what was played."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("--played", type=int, help="so many of them, the last ones; default all")
    parser.add_argument("--to", type=Path, default=Path("long_chat.jsonl"))
    parser.add_argument(
        "--plot", type=Path, nargs="+", help="plot files that were written, into docs/images"
    )
    given = parser.parse_args()
    if given.plot:
        print(write_plots(given.plot, EXPECTED, QUESTION))
        return
    with tempfile.TemporaryDirectory(prefix="recollect-long-") as folder:
        Path(folder).chmod(0o711)  # as root the embedded Postgres runs as nobody
        settings = Settings(data_dir=Path(folder) / "data")
        played = given.turns if given.played is None else given.played
        asyncio.run(play(settings, given.turns, played, given.to))


if __name__ == "__main__":
    main()
