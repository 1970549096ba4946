"""Two versions' replies, turn by turn: `python -m tests.benchmarks.paired FOLDER [--python FILE]`.

FOLDER is a checkout of the version before; `--python` an interpreter that has what it needs. Each
version runs on its own stores as the server does; they answer in turns, one waiting for the other,
so that what slows the machine slows both alike. Told are medians, and the ratio now to before with
the interval that holds the middle 95 of 100 draws (bootstrap, Efron 1979).
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import uvloop

# Nothing but these names of what the version before also has, since this file runs in both.
from evals.latency.players import Product
from evals.latency.sentences import sentence
from evals.suite.scripted import ScriptedChatModel
from evals.suite.workspace import workspace
from graph.bootstrap import Overrides, agent_on
from graph.settings import Settings

HISTORY, WARM_UP = 1_000, 20
PAUSE_S = 0.15
DRAWS = 2_000
Played = dict[str, float]


async def _answer() -> None:
    """Play a turn for each line of the standard input, and tell its milliseconds as JSON."""
    async with workspace(Settings(), Overrides(model=ScriptedChatModel())) as stores:
        product, draw = Product(agent_on(stores)), random.Random(1)
        await product.remember([sentence(draw) for _ in range(HISTORY)])
        for _ in range(WARM_UP):
            await product.rest()
            await product.turn(sentence(draw))
        gc.collect()
        gc.freeze()
        while True:
            await product.rest()
            print(json.dumps({}), flush=True)
            if not await asyncio.to_thread(sys.stdin.readline):
                return
            played = await product.turn(sentence(draw))
            print(json.dumps({"reply": played.reply_ms, **played.nodes}), flush=True)


class Version:
    """A checkout that answers one turn at a time, in a process of its own."""

    def __init__(self, folder: Path, python: Path) -> None:
        self._process = subprocess.Popen(
            [python, Path(__file__).resolve(), "--answer"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._read()

    def turn(self) -> Played:
        """Play a turn, and wait until nothing is left to be done of it."""
        time.sleep(PAUSE_S)
        assert self._process.stdin is not None
        print("turn", file=self._process.stdin, flush=True)
        played = self._read()
        self._read()
        return played

    def end(self) -> None:
        """Let it close its stores."""
        self._process.communicate()

    def _read(self) -> Played:
        assert self._process.stdout is not None
        if not (line := self._process.stdout.readline()):
            raise SystemExit("one of the versions could not answer: see above")
        played: Played = json.loads(line)
        return played


def interval(
    before: Sequence[float], now: Sequence[float], draw: random.Random
) -> tuple[float, float]:
    """Return between what the ratio of medians lies, now to before, of paired times."""
    pairs = list(zip(before, now, strict=True))
    drawn = sorted(
        _ratio(*zip(*draw.choices(pairs, k=len(pairs)), strict=True)) for _ in range(DRAWS)
    )
    return drawn[DRAWS // 40], drawn[-DRAWS // 40 - 1]


def _ratio(before: Sequence[float], now: Sequence[float]) -> float:
    return statistics.median(now) / statistics.median(before)


def _table(before: Sequence[Played], now: Sequence[Played], say: Callable[[str], None]) -> None:
    say("| p50, ms | before | now | ratio (95 %) |\n|---|---|---|---|")
    draw = random.Random(1)
    for name in now[0]:
        old, new = ([each[name] for each in played] for played in (before, now))
        low, high = interval(old, new, draw)
        medians = f"{statistics.median(old):.1f} | {statistics.median(new):.1f}"
        say(f"| {name} | {medians} | {_ratio(old, new):.3f} ({low:.3f} to {high:.3f}) |")


def main() -> None:
    """Compare, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path, nargs="?", metavar="FOLDER")
    parser.add_argument("--python", type=Path, default=Path(sys.executable), metavar="FILE")
    parser.add_argument("--turns", type=int, default=150)
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.answer:
        uvloop.run(_answer())
        return
    if not given.before or not (given.before / "graph/agent.py").is_file():
        parser.error("name the folder of a checkout to compare with")
    old = Version(given.before.resolve(), given.python)
    new = Version(Path(__file__).resolve().parents[2], Path(sys.executable))
    before: list[Played] = []
    now: list[Played] = []
    for number in range(given.turns):
        for version, played in [(old, before), (new, now)][:: 1 if number % 2 else -1]:
            played.append(version.turn())
    _table(before, now, print)
    old.end()
    new.end()


if __name__ == "__main__":
    main()
