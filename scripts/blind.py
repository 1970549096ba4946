"""Run a blind set, and note its figures: `python -m scripts.blind facts`.

A blind set judges what nobody has looked into while building: it is run once a day at most, ten
times in all, and prints figures alone, never a case. Then a fresh one is written. Its folder is
`datasets/SUITE/SET/`, its figures are kept in `runs.json` there.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RUNS = 10
FIGURES = ("recall", "precision", "inactive_violations", "never_violations")


class MayNotRun(Exception):
    """The set was run today, or so often that a fresh one is due."""


def check(runs: Sequence[Mapping[str, Any]], today: date) -> None:
    """See to it that a set may be run.

    Raises:
        MayNotRun: one line that says why not.
    """
    if len(runs) >= RUNS:
        raise MayNotRun(f"this set was run {RUNS} times: write a fresh one")
    if any(run["date"] == today.isoformat() for run in runs):
        raise MayNotRun("this set was run today: once a day, so that nobody learns from it")


def figures(files: Sequence[Path], suite: str, capture: str) -> dict[str, Any]:
    """Run a suite on the files, and return its figures: in all, and by language, tag and key."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        command = [
            sys.executable,
            "-m",
            "ui.cli.main",
            "eval",
            suite,
            "--json",
            str(out),
            "--cases",
        ]
        done = subprocess.run(
            [*command, *map(str, files)],
            env={**os.environ, "RECOLLECT_CAPTURE": capture},
            stdout=subprocess.DEVNULL,
            cwd=ROOT,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"the suite ended with {done.returncode}")
        (system,) = json.loads(out.read_text())["systems"].values()
    return {
        "metrics": _rounded(system["metrics"]),
        "by": {
            group: {name: _rounded(each) for name, each in names.items()}
            for group, names in system["by"].items()
        },
    }


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Run a set; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", choices=["facts"])
    parser.add_argument("--set", default="blind", choices=["blind", "blind2"], dest="chosen")
    parser.add_argument("--capture", nargs="+", default=["rules", "reader"])
    given = parser.parse_args(arguments)
    folder = root / "datasets" / given.suite / given.chosen
    kept = folder / "runs.json"
    runs: list[dict[str, Any]] = json.loads(kept.read_text()) if kept.is_file() else []
    now = datetime.now(UTC)
    try:
        check(runs, now.date())
    except MayNotRun as error:
        print(f"{folder}: {error}", file=sys.stderr)
        return 1
    files = sorted(folder.glob("*.jsonl"))
    run = {"date": now.date().isoformat(), "files": [file.name for file in files]}
    found = {name: figures(files, given.suite, name) for name in given.capture}
    kept.write_text(json.dumps([*runs, run | {"systems": found}], indent=1) + "\n")
    for name, each in found.items():
        _show(name, each)
    return 0


def _rounded(values: Mapping[str, float | None]) -> dict[str, float | None]:
    return {n: round(v, 3) if v is not None else None for n, v in values.items()}


def _show(name: str, found: Mapping[str, Any]) -> None:
    print(f"\n{name:28}" + "".join(f"{figure:>21}" for figure in FIGURES))
    rows = {"all": found["metrics"]}
    for group, names in found["by"].items():
        rows |= {f"{group} {value}": each for value, each in names.items()}
    for row, values in rows.items():
        cells = ("-" if values.get(f) is None else f"{values[f]:.3f}" for f in FIGURES)
        print(f"{row:28}" + "".join(f"{cell:>21}" for cell in cells))


if __name__ == "__main__":
    sys.exit(main())
