"""Run a blind set, and note its figures: `python -m scripts.blind facts`.

A blind set judges what nobody has looked into while building: it is run once a day at most, ten
times in all, and prints figures alone, never a case. Then a fresh one is written. Its folder is
`datasets/SUITE/SET/`, its figures are kept in `runs.json` there.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from evals.suite.requirements import PRODUCT
from memory.minilm.recall import RecallEmbedder
from memory.recall.recaps import LIKELY, recap_chance
from scripts.questions import scored, told

ROOT = Path(__file__).resolve().parent.parent
RUNS = 10
COMMAND = ("-m", "ui.cli.main")
ANSWERS = "--answers"
# The same with other weights of the reader, whose file is the first argument.
_WITH_WEIGHTS = """
import sys
from pathlib import Path
from memory.minilm import reader
from ui.cli.main import main
reader._OWN_FILE = Path(sys.argv.pop(1))
main()
"""
FIGURES = {
    "facts": ("recall", "precision", "inactive_violations", "never_violations"),
    "summaries": (
        "held",
        "held_facts",
        "held_decisions",
        "held_todos",
        "held_questions",
        "grounded",
    ),
    "episodes": ("precision", "recall", "f1", "pk", "windowdiff"),
    "open_loops": ("recall", "precision", "f1", "closed_violations", "due_right"),
    "recall": (
        "frac@10",
        "all@10",
        "mrr",
        "current_above_stale",
        "abstain_auroc",
        "answer_half",
        "withheld",
        "refused",
    ),
    "recaps": ("recall", "precision"),
    "questions": ("right", "wrong_fact", "told_of_others", "taken_for_asked"),
}

SYSTEMS = {
    "recall": ("recollect", "bm25", "dense"),
    "summaries": ("recollect", "lead", "lead+last", "textrank"),
}


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


def run_suite(
    files: Sequence[Path],
    suite: str,
    options: Sequence[str] = (),
    capture: str = "",
    command: Sequence[str] = COMMAND,
) -> dict[str, dict[str, Any]]:
    """Run a suite on the files; return each system's figures, in all and by group."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        said = [sys.executable, *command, "eval", suite, "--json", str(out)]
        # A model's answers would cost calls, and be judged by other figures.
        offline = {"RECOLLECT_MODEL": ""} if ANSWERS in options else {}
        done = subprocess.run(
            [*said, *options, "--cases", *map(str, files)],
            env={**os.environ, **({"RECOLLECT_CAPTURE": capture} if capture else {}), **offline},
            stdout=subprocess.DEVNULL,
            cwd=ROOT,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"the suite ended with {done.returncode}")
        systems = json.loads(out.read_text())["systems"]
    return {
        name: {
            "metrics": _rounded(system["metrics"]),
            "by": {
                group: {value: _rounded(each) for value, each in values.items()}
                for group, values in system["by"].items()
            },
        }
        for name, system in systems.items()
    }


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Run a set; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", choices=[*FIGURES])
    parser.add_argument(
        "--set", default="", dest="chosen", help="its folder; by default the newest, blind4 for one"
    )
    parser.add_argument(
        "--capture", nargs="+", default=["rules", "reader"], help="facts: who reads them"
    )
    parser.add_argument(
        "--weights", nargs="+", default=[], type=Path, help="facts: other weights, beside those"
    )
    parser.add_argument(
        "--system", nargs="+", default=[], help="recall: who searches; others: all of the suite"
    )
    given = parser.parse_args(arguments)
    folder = root / "datasets" / given.suite / (given.chosen or _newest(root, given.suite))
    kept = folder / "runs.json"
    runs: list[dict[str, Any]] = json.loads(kept.read_text()) if kept.is_file() else []
    now = datetime.now(UTC)
    try:
        check(runs, now.date())
    except MayNotRun as error:
        print(f"{folder}: {error}", file=sys.stderr)
        return 1
    files = sorted(folder.glob("*.jsonl"))
    if not files:
        print(f"{folder}: there are no cases; --set names another set", file=sys.stderr)
        return 2
    found = _run(given, root, folder, files)
    run = {"date": now.date().isoformat(), "files": [file.name for file in files]}
    kept.write_text(json.dumps([*runs, run | {"systems": found}], indent=1) + "\n")
    for name, each in found.items():
        _show(name, each, FIGURES[given.suite])
    return 0


def _run(
    given: argparse.Namespace, root: Path, folder: Path, files: Sequence[Path]
) -> dict[str, dict[str, Any]]:
    """Return each system's figures on a set, in all and by group."""
    if given.suite == "facts":
        found = {
            name: run_suite(files, "facts", capture=name)["recollect"] for name in given.capture
        }
        # In the same run: whoever compares two on one set would have looked at it twice.
        for weights in given.weights:
            other = ("-c", _WITH_WEIGHTS, str(weights.resolve()))
            found[weights.stem] = run_suite(files, "facts", command=other)["recollect"]
        return found
    if given.suite == "episodes":
        with tempfile.TemporaryDirectory() as place:
            chats = root / "datasets" / "recall" / folder.name
            return run_suite([dialogues(files, chats, Path(place))], given.suite)
    if given.suite == "recaps":
        return {"recollect": recaps(files)}
    if given.suite == "questions":
        facts = folder / "facts.json"
        values = [*json.loads(facts.read_text(encoding="utf-8")).values()]
        return {
            "recollect": scored(told(files, facts), values),
            "wording alone": scored(told(files, facts, by_wording=True), values),
        }
    if given.suite == "open_loops":
        return run_suite(files, given.suite)
    systems = given.system or SYSTEMS[given.suite]
    # What the offline responder replies is judged in the same run.
    answers = [ANSWERS] if given.suite == "recall" and PRODUCT in systems else []
    return run_suite(files, given.suite, ["--system", *systems, *answers])


def recaps(files: Sequence[Path]) -> dict[str, Any]:
    """Return how well it is told which messages ask what was talked about, by language."""
    lines = [
        json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines()
    ]
    embedder = RecallEmbedder()
    vectors = asyncio.run(embedder.embed([each["text"] for each in lines]))
    told = [
        (
            each["language"],
            each["recap"],
            recap_chance(embedder.fingerprint, [vector], each["text"]) >= LIKELY,
        )
        for each, vector in zip(lines, vectors, strict=True)
    ]

    def figures(cases: Sequence[tuple[str, bool, bool]]) -> dict[str, float | None]:
        right = sum(wanted and found for _, wanted, found in cases)
        asked = sum(wanted for _, wanted, _ in cases)
        said = sum(found for *_, found in cases)
        return _rounded(
            {
                "recall": right / asked if asked else None,
                "precision": right / said if said else None,
            }
        )

    languages = dict.fromkeys(language for language, *_ in told)
    by = {name: figures([case for case in told if case[0] == name]) for name in languages}
    return {"metrics": figures(told), "by": {"language": by}}


def dialogues(marks: Sequence[Path], chats: Path, place: Path) -> Path:
    """Write chats with the boundaries that somebody marked in them as a file of dialogues.

    A mark names the message that an episode begins with: `clear` ones are boundaries, `soft` ones
    may be.
    """
    written = place / "dialogues.jsonl"
    with written.open("w", encoding="utf-8") as file:
        for line in "".join(path.read_text(encoding="utf-8") for path in marks).splitlines():
            marked = json.loads(line)
            chat = json.loads((chats / f"{marked['chat_id']}.jsonl").read_text(encoding="utf-8"))
            index = {turn["id"]: number for number, turn in enumerate(chat["turns"])}
            case = {
                "case_id": marked["chat_id"],
                "set": f"{chat['lang']} {chat['style']}",
                "turns": chat["turns"],
                "boundaries": sorted(index[each] for each in marked["clear"]),
                "either": sorted(index[each] for each in marked["soft"]),
            }
            file.write(json.dumps(case, ensure_ascii=False) + "\n")
    return written


def _newest(root: Path, suite: str) -> str:
    """Return the folder of the newest set of a suite: `blind2` came after `blind`."""
    sets = [each.name for each in (root / "datasets" / suite).glob("blind*")]
    return max(sets, key=lambda name: int(name.removeprefix("blind") or 1), default="blind")


def _rounded(values: Mapping[str, float | None]) -> dict[str, float | None]:
    return {n: round(v, 3) if v is not None else None for n, v in values.items()}


def _show(name: str, found: Mapping[str, Any], figures: Sequence[str]) -> None:
    print(f"\n{name:28}" + "".join(f"{figure:>21}" for figure in figures))
    rows = {"all": found["metrics"]}
    for group, names in found["by"].items():
        rows |= {f"{group} {value}": each for value, each in names.items()}
    for row, values in rows.items():
        cells = ("-" if values.get(f) is None else f"{values[f]:.3f}" for f in figures)
        print(f"{row:28}" + "".join(f"{cell:>21}" for cell in cells))


if __name__ == "__main__":
    sys.exit(main())
