"""How long the command line takes to show something on a terminal, as a table.

`python -m tests.benchmarks.startup [--runs N]`. Warm: another chat keeps the embedded stores of the
folder running meanwhile; cold: nobody does.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from tests.drivers.terminal import CTRL_C, CTRL_D, ENTER, ROOT, Terminal

PROMPT = "you ›"
ANSWERED = "remembered"
READY = "/help lists"


def measure(environment: dict[str, str], runs: int) -> dict[str, list[float]]:
    """Return seconds by what was waited for, of each run."""
    found: defaultdict[str, list[float]] = defaultdict(list)

    def begun(*arguments: str) -> Terminal:
        return Terminal([sys.executable, "-m", "ui.cli.main", *arguments], environment)

    def shown(terminal: Terminal, what: str, *wanted: str) -> None:
        terminal.until(*wanted)
        found[what].append(time.monotonic() - terminal.began)

    def chat(kind: str) -> None:
        with begun("chat") as terminal:
            shown(terminal, f"chat, {kind}: first word", "Recollect")
            shown(terminal, f"chat, {kind}: prompt", PROMPT)
            shown(terminal, f"chat, {kind}: memory open", READY)
            time.sleep(0.5)  # the prompt is drawn anew beneath
            terminal.type(CTRL_D)
            terminal.end()

    with begun("chat") as keeper:
        keeper.until(READY)
        for _ in range(runs):
            for option in ("--help", "--version"):
                with begun(option) as terminal:
                    terminal.end()
                    found[f"recollect {option}"].append(time.monotonic() - terminal.began)
            chat("warm")
            with begun("chat", "--contact", "asker") as terminal:
                terminal.until(PROMPT)
                terminal.type("What's my name?" + ENTER)
                shown(terminal, "chat, warm: reply to what is typed at the prompt", ANSWERED)
        keeper.type(CTRL_D)
        keeper.end()
    for _ in range(runs):
        chat("cold")
        with begun("ui", "--port", "0", "--no-browser") as terminal:
            shown(terminal, "ui, cold: first word", "Recollect starts")
            shown(terminal, "ui, cold: page", "http://")
            terminal.type(CTRL_C)
            terminal.end()
    return found


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recollect-startup-") as folder:
        Path(folder).chmod(0o755)
        data = str(Path(folder) / "data")
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "RECOLLECT_DATA_DIR": data}
        found = measure(environment, given.runs)
    print("| seconds | median | least | most |\n|---|---|---|---|")
    for what, seconds in found.items():
        each = f"{statistics.median(seconds):.2f} | {min(seconds):.2f} | {max(seconds):.2f}"
        print(f"| {what} | {each} |")


if __name__ == "__main__":
    main()
