"""Plays turns of several players in turns, so that all of them see the same machine."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from evals.latency.crowd import Crowd
from evals.latency.players import Played, Player, TurnFailedError
from evals.latency.sentences import sentence
from evals.suite.progress import Progress

WARM_UP = 10
"""Turns that fill the window of 20 messages and every cache; not measured."""


@dataclass(slots=True)
class Timed:
    """What was measured of one player, milliseconds; `failed` says why it stopped, if it did."""

    turn: list[float] = field(default_factory=list)
    reply: list[float] = field(default_factory=list)
    nodes: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    outside: list[float] = field(default_factory=list)
    crowd: Crowd | None = None
    failed: str = ""

    def add(self, played: Played) -> None:
        """Note a turn."""
        self.turn.append(played.ms)
        if played.reply_ms is not None:
            self.reply.append(played.reply_ms)
        if played.nodes:
            self.outside.append(played.ms - sum(played.nodes.values()))
        for node, ms in played.nodes.items():
            self.nodes[node].append(ms)


async def play_turns(
    players: Mapping[str, Player],
    timed: Mapping[str, Timed],
    count: int,
    draw: random.Random,
    progress: Progress,
) -> None:
    """Play `count` measured turns of each player, after the warm-up; who fails plays no more.

    The order moves on by one each round, since a turn may feel what the one before it left behind.
    """
    names = list(players)
    for number in range(count + WARM_UP):
        start = number % len(names)
        for name in [*names[start:], *names[:start]]:
            if timed[name].failed:
                continue
            try:
                # A text of its own for each: the embedder remembers the latest ones.
                played = await players[name].turn(sentence(draw))
                await players[name].rest()
            except TurnFailedError as error:
                timed[name].failed = str(error)
                continue
            if number >= WARM_UP:
                timed[name].add(played)
                progress.step("latency: turns")
