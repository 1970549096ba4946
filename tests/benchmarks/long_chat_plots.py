"""What a long chat cost, as plots for the docs and a table of figures."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final

from evals.reports.plots import line_plot, linear

IMAGES: Final = Path(__file__).resolve().parents[2] / "docs" / "images"
_STEPS: Final = 60
_STYLE: Final = (
    "<style>text{font:11px sans-serif;fill:#767d89}.end{text-anchor:end}.middle{text-anchor:middle}"
    ".grid{stroke:#8883}.axis{stroke:#8888}.curve{fill:none;stroke-width:1.8}"
    ".s0{stroke:#4c7fd0}.s1{stroke:#d07a2c}.s2{stroke:#3c9a5f}</style>"
)
_LINES: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "prompt": ("tokens of a prompt", {"prompt_tokens": "prompt"}),
    "times": ("ms of CPU, median", {"background_ms": "behind a reply", "stores_ms": "stores"}),
    "memory": ("MiB of the process", {"rss": "resident"}),
}

Row = Mapping[str, Any]  # Any: JSON


def write_plots(played: Sequence[Path], expected: Mapping[str, bool], question: str) -> str:
    """Write a plot for each kind of cost; return the table of figures.

    Of several files each goes on where the one before it ended, or later.
    """
    lines_of = [file.read_text(encoding="utf-8").splitlines() for file in played]
    told = [json.loads(line) for lines in lines_of for line in lines]
    turns = [each for each in told if "turn" in each]
    known = [each for each in told if "after" in each]
    for name, (title, lines) in _LINES.items():
        series = {label: _medians(turns, key) for key, label in lines.items()}
        tops = [value for points in series.values() for _, value in points]
        x = linear("turn", [float(turns[-1]["turn"])])
        plot = line_plot(title, x, linear(title, tops), series, dots=False)
        head = '<svg xmlns="http://www.w3.org/2000/svg" '
        plot = plot.replace("<svg ", head, 1).replace(">", f">{_STYLE}", 1)
        file = IMAGES / f"long-chat-{name}.svg"
        file.write_text(plot + "\n", encoding="utf-8")
    rows = [
        "| turns | prompt | reply | its CPU | behind it | stores | resident |",
        "|---|---|---|---|---|---|---|",
    ]
    rows += [_figures(some) for some in _stretches(turns)]
    rows += [_knowledge(each, turns, expected) for each in known]
    asked = [each for each in turns if each["text"] == question]
    rows += [_asked(each) for each in asked]
    return "\n".join(rows)


def _asked(turn: Row) -> str:
    first = turn["reply"].splitlines()[0]
    return f"turn {turn['turn']}: {turn['prompt_tokens']} tokens, {first}"


def wrong_of(facts: Sequence[str], expected: Mapping[str, bool]) -> list[str]:
    """Return the values that no fact names though one should, or one does though none may."""
    told = [fact.lower() for fact in facts]
    return [v for v, is_there in expected.items() if is_there != any(v in each for each in told)]


def _medians(turns: Sequence[Row], key: str) -> list[tuple[float, float]]:
    width = max(1, len(turns) // _STEPS)
    return [
        (some[-1]["turn"], median(each[key] for each in some))
        for some in (turns[at : at + width] for at in range(0, len(turns) - width + 1, width))
    ]


def _stretches(turns: Sequence[Row]) -> list[Sequence[Row]]:
    edges = [0, 50, 100, 500, 1_000, 2_000, 3_000, 4_000, 5_000]
    found = [
        [each for each in turns if a < each["turn"] <= b] for a, b in itertools.pairwise(edges)
    ]
    return [*filter(None, found), turns]


def _figures(turns: Sequence[Row]) -> str:
    cells = [f"{turns[0]['turn']} to {turns[-1]['turn']}"]
    for key, unit in (
        ("prompt_tokens", ""),
        ("reply_ms", " ms"),
        ("reply_cpu_ms", " ms"),
        ("background_ms", " ms"),
        ("stores_ms", " ms"),
        ("rss", " MiB"),
    ):
        values = sorted(each.get(key, 0.0) for each in turns)
        late = values[min(len(values) - 1, int(0.95 * len(values)))]
        cells.append(f"{median(values):.0f} / {late:.0f}{unit}")
    return f"| {' | '.join(cells)} |"


def _knowledge(known: Row, turns: Sequence[Row], expected: Mapping[str, bool]) -> str:
    """Return in words which facts are right and which episodes begin where they should."""
    wrong = wrong_of(known["facts"], expected)
    told = [each for each in turns if each["turn"] <= known["after"]]
    since = min(each["at"] for each in told)
    begun = {at for at in known["begun"] if at >= since}
    lines = [f"after {known['after']}: {len(known['facts'])} facts, wrong: {wrong or 'none'}"]
    for kind in ("silence", "words", "topic"):
        due = [each["at"] for each in told if each["begins"] == kind]
        if due:
            hits = sum(at in begun for at in due)
            lines.append(f"  begun by {kind}: {hits} of {len(due)}")
    extra = begun - {each["at"] for each in told if each["begins"]}
    lines.append(f"  begun elsewhere: {len(extra)} of {len(begun)}; topics {known['topics']}")
    return "\n".join(lines)
