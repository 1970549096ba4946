"""What an installation takes, by commit, as a table: sizes, packages, processor time.

`python -m tests.benchmarks.install COMMIT ... [--runs N]`. Each commit is laid out in a folder of
its own, without the cases that nobody opens, and set up twice as `make run` and `make setup` do it:
the first time fills the packages' cache, the second is counted. What is imported is compiled before
it is counted. Other work changes seconds on the clock a lot and processor time little: only the
latter is told.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from scripts.processes import ROOT

MB = 1_000_000
SETUPS = {"make run": "requirements/ui.txt", "make setup": "requirements/all.txt"}
IMPORTED = {
    "recollect --help": "import ui.cli.main",
    "recollect chat": "import ui.cli.chat, graph.agent",
    "recollect ui": "from ui.playground.serving import import_gradio as load; load();"
    "import ui.playground.app",
    "recollect serve": "import server.app",
    "recollect eval": "import evals.cli",
}
NONE = "cannot be built"
UNITS = {"MB": "{:.1f}", "s": "{:.2f}", "": "{:.0f}"}

Figures = dict[tuple[str, str], float]
"""By what was measured and its unit."""


def measure(commit: str, folder: Path, uv: str, runs: int) -> Figures:
    """Lay a commit out in a folder, install it, and return the figures."""
    tree = folder / "tree"
    tree.mkdir()
    archived = ["git", "archive", commit, "--", ".", ":(exclude)datasets/*/blind*"]
    archive = subprocess.run(archived, cwd=ROOT, check=True, capture_output=True)
    subprocess.run(["tar", "-x", "-C", tree], input=archive.stdout, check=True)
    found: Figures = {("wheel", "MB"): wheel_bytes(tree, folder, uv) / MB}
    for name, locked in SETUPS.items():
        venv = folder / "venv"
        for _ in range(2):
            shutil.rmtree(venv, ignore_errors=True)
            setup_s = set_up(venv, tree / locked, tree, uv)
        found[f"{name}: environment", "MB"] = size(venv) / MB
        found[f"{name}: packages", ""] = len(list(venv.rglob("*.dist-info")))
        found[f"{name}: set up from a warm cache", "s"] = setup_s
        if name == "make run":
            python = venv / "bin/python"
            for command, statements in IMPORTED.items():
                found[f"{command}: import", "s"] = import_s(python, statements, tree, runs)
    return found


def wheel_bytes(tree: Path, folder: Path, uv: str) -> float:
    """Return the size of a tree's wheel, built in a folder; not a number where it has none."""
    try:
        spent([uv, "build", "--quiet", "--wheel", "--out-dir", str(folder), str(tree)], tree)
    except subprocess.CalledProcessError:
        return math.nan
    (wheel,) = folder.glob("*.whl")
    return wheel.stat().st_size


def set_up(venv: Path, locked: Path, tree: Path, uv: str) -> float:
    """Install what is locked, and a tree as it lies there; return seconds of processor time."""
    install = [uv, "pip", "install", "--quiet", "--python", str(venv / "bin/python"), "--no-deps"]
    return sum(
        spent(command, tree)
        for command in (
            [uv, "venv", "--quiet", "--python", sys.executable, str(venv)],
            [*install, "--require-hashes", "-r", str(locked)],
            [*install, "--editable", str(tree)],
        )
    )


def import_s(python: Path, statements: str, tree: Path, runs: int) -> float:
    """Return the median of seconds of processor time that importing takes, Python's start too."""
    command = [str(python), "-c", statements]
    spent(command, tree)
    return statistics.median(spent(command, tree) for _ in range(runs))


def spent(command: list[str], folder: Path) -> float:
    """Run a command; return seconds of processor time, its own and of whom it waited for.

    Raises:
        CalledProcessError: it failed.
    """
    left_out = ("PYTHONPATH", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, env=kept, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def size(folder: Path) -> int:
    """Return the bytes of a folder's files; what links lead to is not counted."""
    return sum(each.lstat().st_size for each in folder.rglob("*") if each.is_file())


def table(commits: Iterable[str], figures: Iterable[Mapping[tuple[str, str], float]]) -> str:
    """Return figures as a table in Markdown, a column a commit."""
    columns = list(figures)
    lines = [f"| | {' | '.join(commits)} |", "|---" * (len(columns) + 1) + "|"]
    for what, unit in columns[0]:
        values = [each[what, unit] for each in columns]
        shown = [NONE if math.isnan(each) else UNITS[unit].format(each) for each in values]
        lines.append(f"| {what}{f', {unit}' if unit else ''} | {' | '.join(shown)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commits", nargs="+", metavar="COMMIT")
    parser.add_argument("--runs", type=int, default=5, help="of each import")
    parser.add_argument("--uv", default=str(ROOT / ".uv/bin/uv"), metavar="FILE")
    given = parser.parse_args()
    figures = []
    for commit in given.commits:
        with tempfile.TemporaryDirectory(prefix="recollect-install-") as folder:
            figures.append(measure(commit, Path(folder), given.uv, given.runs))
    print(table(given.commits, figures))
    print(
        f"\nLoad: {' '.join(f'{each:.1f}' for each in os.getloadavg())} of {os.cpu_count()} cores."
    )


if __name__ == "__main__":
    main()
