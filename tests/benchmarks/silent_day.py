"""What a prompt still holds after a day of silence, by the age that the window may have.

`python -m tests.benchmarks.silent_day` says a short chat to memories of its own, with and without
much before it, asks 30 hours later, and prints for `RECOLLECT_WINDOW_H` 0 and 24 how many prompts
hold what is asked about, and their tokens in the mean. It takes some minutes.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

from graph.bootstrap import Overrides, agent_on, open_stores
from graph.settings import Settings
from memory.domain.chats import Actor, Message
from memory.embedded import lease
from memory.projection.importing import import_batches
from memory.text.chunks import estimate_tokens
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import message
from tests.stores import migrated_database, reachable

BEFORE: Final = Path(__file__).resolve().parents[2] / "datasets/open_loops/train/en.jsonl"
NOW: Final = datetime.now(UTC)
SILENCE_H: Final = 30
LINES_BEFORE: Final = 120

Said = tuple[Actor, str]
C, A = Actor.CONTACT, Actor.AGENT
CHATTER: Final[Sequence[Said]] = (
    (C, "Morning, the bus was late again."),
    (A, "Sorry to hear that. Did you still make it?"),
    (C, "Just about. Lunch was soup."),
    (A, "Sounds warm."),
    (C, "My team lost the match, what a disgrace."),
    (A, "There is always next week."),
    (C, "The printer at work jams all the time."),
    (A, "Maybe it needs a new roller."),
    (C, "My neighbour plays drums at night."),
    (A, "That must be tiring."),
)


class Exchange(NamedTuple):
    """What was said, two ways to come back to it, and what a prompt has to hold for an answer."""

    asked: str
    told: str
    left_open: str
    named: str
    must: str


EXCHANGES: Final = (
    Exchange(
        "Which hotel in Porto would you take?",
        "There are three: Casa Azul by the river, Hotel Teatro in the old town, and the Ribeira"
        " Rooms.",
        "Let's take the second one.",
        "Which hotels in Porto did you name?",
        "Hotel Teatro",
    ),
    Exchange(
        "How do I descale the kettle?",
        "Fill it with half vinegar and half water, boil it, wait twenty minutes, then rinse twice.",
        "And how long did I have to wait?",
        "How long must the vinegar stay in the kettle?",
        "twenty minutes",
    ),
    Exchange(
        "Can you suggest a title for my talk?",
        "How about 'Small models, long memories'?",
        "I like it, but shorter please.",
        "What title did you suggest for my talk?",
        "Small models, long memories",
    ),
    Exchange(
        "I have two offers, Acme pays 52,000 and Globex 49,000 with a free Friday.",
        "Then it depends on what a Friday is worth to you.",
        "I decided, I take the first.",
        "What did Acme offer?",
        "52,000",
    ),
    Exchange(
        "My flight to Oslo leaves at 6:40 from gate B12.",
        "Then set an alarm for four.",
        "When was that again?",
        "When does my flight to Oslo leave?",
        "6:40",
    ),
    Exchange(
        "The plumber wants 240 for the boiler, the other one 180.",
        "The second one is cheaper.",
        "He called, should I say yes?",
        "What did the plumbers want for the boiler?",
        "180",
    ),
)


def main() -> None:
    """Print a line for each age of the window and each place of the exchange."""
    with tempfile.TemporaryDirectory() as folder, lease(reachable(Path(folder)) / "data") as held:
        url = migrated_database(held.stores.database_url)
        for hours in (0, 24):
            for place, before in (("last", 0), ("ten lines back", 0), ("last", LINES_BEFORE)):
                settings = Settings.model_validate(
                    {
                        "database_url": url,
                        "chroma_url": held.stores.chroma_url,
                        "window_h": hours,
                    }
                )
                print(asyncio.run(measured(settings, place, before)))


async def measured(settings: Settings, place: str, before: int) -> str:
    """Return what prompts hold, asked each way about each exchange."""
    held, tokens, asked = 0, 0, 0
    for number, each in enumerate(EXCHANGES):
        for follow_up in (each.left_open, each.named):
            asked += 1
            tenant = f"{settings.window_h}-{place}-{before}-{number}-{asked}"
            own = settings.model_copy(update={"tenant": tenant})
            prompt = await _prompt(own, _chat(each, place), follow_up, before)
            held += each.must in prompt
            tokens += estimate_tokens(prompt)
    age = f"{settings.window_h} h" if settings.window_h else "any age"
    return f"{age}, {place}, {before} lines before: {held} of {asked}, {tokens // asked} tokens"


def _chat(each: Exchange, place: str) -> list[Said]:
    exchange: list[Said] = [(C, each.asked), (A, each.told)]
    return [*CHATTER, *exchange] if place == "last" else [*exchange, *CHATTER]


async def _prompt(settings: Settings, chat: Sequence[Said], follow_up: str, before: int) -> str:
    model = ScriptedChatModel()
    began = NOW - timedelta(hours=SILENCE_H)
    earlier = list(_earlier())[:before]
    said = [
        *_lines(settings.tenant, earlier, began - timedelta(days=60), timedelta(hours=12)),
        *_lines(settings.tenant, chat, began, timedelta(minutes=2)),
    ]
    async with open_stores(settings, Overrides(model=model)) as stores:
        await import_batches(stores.memory, stores.projector, [said])
        await stores.projector.caught_up()
        last = replace(message(follow_up, tenant=settings.tenant), sent_at=NOW)
        async for _ in agent_on(stores).send(last):
            pass
    return "\n".join(line.text for line in model.prompts[-1])


def _lines(
    tenant: str, chat: Sequence[Said], began: datetime, step: timedelta
) -> Iterator[Message]:
    for number, (actor, text) in enumerate(chat):
        made = message(text, tenant=tenant, actor=actor)
        yield replace(made, sent_at=began + number * step)


def _earlier() -> Iterator[Said]:
    for line in BEFORE.read_text(encoding="utf-8").splitlines():
        for turn in json.loads(line)["turns"]:
            yield (A if turn["role"] == "assistant" else C), turn["text"]


if __name__ == "__main__":
    main()
