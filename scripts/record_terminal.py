"""Draw what `recollect chat` prints, for the README: `python -m scripts.record_terminal`.

Each session is a process of its own on the same memory, in a folder that is removed afterwards.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = 92
LINE_PX = 21
MARGIN_PX = 18
WIDTH_PX = 2 * MARGIN_PX + round(COLUMNS * 8.43)

SESSIONS = (
    ("My name is Alex, I live in Lisbon and I'm allergic to peanuts.",),
    ("What must I not eat?", "/why", "Actually I moved to Porto last week.", "Where do I live?"),
)

NOTICE = "— offline responder, no model is set"

Kind = Literal["shell", "said", "reply", "note"]
COLOURS: dict[Kind, str] = {
    "shell": "#8b98a9",
    "said": "#e8ecf2",
    "reply": "#5eead4",
    "note": "#8b98a9",
}


def main() -> None:
    """Play the sessions and write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "docs/images/terminal.svg")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        lines = list(played(Path(folder) / "data"))
    given.out.write_text(drawn(lines), encoding="utf-8")


def played(data_dir: Path) -> Iterator[tuple[Kind, str]]:
    """Yield the lines of every session as they stand in a terminal."""
    for session in SESSIONS:
        yield "shell", "$ recollect chat"
        # One process for each line tells which words answer which; the memory is one.
        for number, said in enumerate(session):
            yield "said", f"> {said}"
            for line in _answered(data_dir, said):
                if number and line == NOTICE:
                    continue  # said once in a session
                yield ("note" if line.startswith(("—", "- ", "The last")) else "reply"), line
        yield "shell", ""


def _answered(data_dir: Path, said: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "ui.cli.main", "chat"],
        input=said + "\n",
        env={**os.environ, "RECOLLECT_DATA_DIR": str(data_dir), "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.rstrip("\n").splitlines()


def drawn(lines: list[tuple[Kind, str]]) -> str:
    """Return lines as a picture of a terminal, wrapped at words; nothing in it is fetched."""
    rows = [
        (kind, part)
        for kind, line in lines
        for part in textwrap.wrap(line, COLUMNS, subsequent_indent="  ") or [""]
    ]
    while rows and not rows[-1][1]:
        rows.pop()
    height = 2 * MARGIN_PX + LINE_PX * len(rows)
    texts = "\n".join(
        f'<text x="{MARGIN_PX}" y="{MARGIN_PX + LINE_PX * row + 15}" fill="{COLOURS[kind]}"'
        f' xml:space="preserve">{escape(part)}</text>'
        for row, (kind, part) in enumerate(rows)
        if part
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH_PX} {height}"'
        ' role="img" aria-label="A conversation with recollect chat, in two sessions"'
        ' font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">\n'
        f'<rect width="100%" height="100%" rx="10" fill="#12181f"/>\n{texts}\n</svg>\n'
    )


if __name__ == "__main__":
    main()
