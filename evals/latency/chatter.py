"""Group chatter that needs no answer: how fast it is recorded, and how fast it is learned."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass, replace
from datetime import timedelta

from evals.latency.sentences import sentence
from evals.suite.run import Request
from graph.agent import Agent, Failed, Finished
from memory.domain.chats import ChatRef, Message

MESSAGES = 1_000
_PEOPLE = 30
_AT_ONCE = 16


class ChatterFailedError(Exception):
    """A turn that should have learned failed."""


@dataclass(frozen=True, slots=True)
class Chatter:
    """Messages a second: into the ledger, and through to vectors and facts. Answers: must be 0."""

    recorded_per_s: float
    learned_per_s: float
    answers: int


async def measure_chatter(request: Request, agent: Agent, count: int) -> Chatter:
    """Take in what thirty people say in a group, then let turns learn from it.

    Raises:
        ChatterFailedError: a turn failed.
    """
    draw = random.Random(request.seed)  # noqa: S311  (texts to measure with, no secrets)
    said = [_said(agent, draw, number, count) for number in range(count)]
    waiting = iter(said)
    started = time.perf_counter()

    async def take_in() -> None:
        for message in waiting:
            await agent.take_in(message)
            request.progress.step("latency: chatter")

    await asyncio.gather(*(take_in() for _ in range(_AT_ONCE)))
    recorded_s = time.perf_counter() - started
    answers = 0
    # A turn takes in everything that its sender has waiting.
    for message in {message.sender_id: message for message in said}.values():
        async for event in agent.send(message):
            if isinstance(event, Failed):
                raise ChatterFailedError(event.reason)
            answers += isinstance(event, Finished) and event.decision == "respond"
    await agent.stores.projector.caught_up()
    learned_s = time.perf_counter() - started
    return Chatter(count / recorded_s, count / learned_s, answers)


def _said(agent: Agent, draw: random.Random, number: int, count: int) -> Message:
    person = f"person-{number % _PEOPLE}"
    message = agent.local_message(sentence(draw), person)
    return replace(
        message,
        chat=ChatRef(message.chat.tenant, "telegram", "eval", "chatter"),
        sent_at=agent.stores.clock() - timedelta(seconds=count - number),
        is_group=True,
        is_owner=False,
    )
