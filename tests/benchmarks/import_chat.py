"""How fast a WhatsApp chat is imported, also when it is killed half-way: messages a second.

`python -m tests.benchmarks.import_chat --lines 50000`: writes a made-up export of short messages,
imports it on fresh stores by the command line, kills the process at half of it, starts it again,
and compares what is in the stores with what was written. Then asks `recollect memory search` for
one message. Exit status 1 on a violation, or below `--least` messages a second.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path

import psycopg

from tests.stores import database_url, store_environment

COMMAND = (sys.executable, "-m", "ui.cli.main")
SECRET = "the spare key hangs behind the old mill"

_WORDS = (
    "ok yes no see you later train dinner tonight tomorrow bread milk kids school car doctor party"
    " flat rent mum when back home love the new lamp we bought at market please bring keys and"
    " water haha great idea I think so really"
).split()
_STATE = "select position, finished_at from recollect.imports"


def write_chat(path: Path, lines: int) -> None:
    """Write an export of so many messages of Ben and Max; one in the middle tells a secret."""
    draw = random.Random(3)
    at = datetime(2020, 3, 1, 9)
    with path.open("w", encoding="utf-8") as file:
        for number in range(lines):
            at += timedelta(minutes=draw.randint(0, 60))
            text = " ".join(draw.choices(_WORDS, k=draw.randint(1, 14)))
            text = SECRET if number == lines // 2 else text
            file.write(f"{at:%d/%m/%Y, %H:%M} - {draw.choice(('Ben', 'Max'))}: {text}\n")


def _start(path: Path, environment: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, "import", str(path), "--me", "Max"],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )


def _position(environment: dict[str, str]) -> int:
    try:
        with psycopg.connect(database_url(environment)) as connection:
            row = connection.execute(_STATE).fetchone()
    except (psycopg.Error, LookupError):
        return 0
    return int(row[0]) if row else 0


def _ask(environment: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [*COMMAND, "memory", *arguments, "--json"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def run(lines: int, least: float) -> int:
    """Import, kill, import again, compare; return the exit status."""
    violations = []
    with tempfile.TemporaryDirectory(prefix="recollect-import-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        environment = {**os.environ, **store_environment(folder)}
        path = folder / "WhatsApp Chat with Ben.txt"
        write_chat(path, lines)
        started = time.perf_counter()
        first = _start(path, environment)
        while _position(environment) < lines // 2 and first.poll() is None:
            time.sleep(0.05)
        first.kill()
        first.communicate()
        half = time.perf_counter()
        out, _ = _start(path, environment).communicate()
        ended = time.perf_counter()
        print(out)
        print(f"to half: {half - started:.1f} s, the rest: {ended - half:.1f} s, start-up included")
        speed = lines / (ended - started)
        print(f"{speed:.0f} messages/s over both runs")
        status = json.loads(_ask(environment, "status"))
        print(json.dumps({key: status[key] for key in ("messages", "vectors", "facts")}))
        if status["messages"] != {"contact": lines}:
            violations.append(f"messages: {status['messages']}, written were {lines}")
        if status["vectors"]["message"] != lines:
            violations.append(f"vectors: {status['vectors']['message']} of {lines}")
        found = json.loads(_ask(environment, "search", "where is the spare key", "--limit", "10"))
        if not any(each["text"] == SECRET for each in found):
            violations.append("the message in the middle is not found")
        if speed < least:
            violations.append(f"{speed:.0f} messages/s are less than {least:.0f}")
    for violation in violations:
        print(f"violation: {violation}")
    return 1 if violations else 0


def main() -> int:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--lines", type=int, default=5_000)
    parser.add_argument("--least", type=float, default=0.0, help="messages/s that are wanted")
    arguments = parser.parse_args()
    return run(arguments.lines, arguments.least)


if __name__ == "__main__":
    sys.exit(main())
