"""Write what is read of a chat beside what is said in it: `python -m scripts.show_reading`.

The chat is `datasets/facts/examples/chat.jsonl`, the page `docs/reader-example.md`: every fact that
its author noted at its end, what was kept of it, and what was kept besides.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from evals.facts.cases import FactCase, Pattern, load_fact_cases
from evals.facts.conversation import Known, Played, play
from evals.facts.matching import matches
from evals.facts.scores import quality
from evals.suite.workspace import workspace
from graph.bootstrap import Overrides
from graph.settings import load_settings
from memory.domain.facts import Fact

ROOT = Path(__file__).resolve().parent.parent
CHAT = ROOT / "datasets/facts/examples/chat.jsonl"
PAGE = ROOT / "docs/reader-example.md"
HEAD = (
    "# What is read of a chat of two hundred lines\n\n"
    "[This chat](../datasets/facts/examples/chat.jsonl) was written without sight of the code, with"
    " a note of every fact that holds at its end. Here is what the agent keeps of it, mistakes"
    " included. `python -m scripts.show_reading` writes this page.\n"
)


def main() -> None:
    """Read the chat, write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=PAGE)
    out: Path = parser.parse_args().out
    (file,) = load_fact_cases([CHAT])
    (case,) = file.cases
    out.write_text(page(asyncio.run(_played(case))), encoding="utf-8")
    print(out, file=sys.stderr)


async def _played(case: FactCase) -> Played:
    async with workspace(load_settings(), Overrides()) as stores:
        return await play(stores, case)


def page(played: Played) -> str:
    """Return the page in Markdown."""
    case, known = played.case, played.known[-1]
    facts = [fact for held in known.active.values() for fact in held]
    said = {turn.id: turn.text for turn in case.turns}
    figures = quality([played])
    parts = [
        HEAD,
        f"Of {len(known.check.active)} facts that hold at the end "
        f"{sum(_found(p, facts, case) is not None for p in known.check.active)} are known; "
        f"precision over both checks {figures['precision']:.2f}.\n",
        "## What holds at the end\n",
        "| fact | kept | sure | where it was read |\n|---|---|---|---|",
        *(_row(pattern, facts, known, case, said) for pattern in known.check.active),
        "\n## What was kept besides\n",
        *_besides(facts, known, case, said),
    ]
    return "\n".join(parts) + "\n"


def _row(
    pattern: Pattern, facts: Sequence[Fact], known: Known, case: FactCase, said: dict[str, str]
) -> str:
    fact = _found(pattern, facts, case)
    name = f"{pattern.key}: {pattern.forms[0]}"
    if fact is None:
        return f"| {name} | **no** | | |"
    return f"| {name} | {fact.value} | {fact.confidence:.2f} | {_quote(fact, known, said)} |"


def _besides(
    facts: Sequence[Fact], known: Known, case: FactCase, said: dict[str, str]
) -> list[str]:
    meant = [*known.check.active, *known.check.allowed]
    others = [fact for fact in facts if not any(matches(p, fact, case.lang) for p in meant)]
    if not others:
        return ["Nothing."]
    rows = (
        f"| {fact.key}: {fact.value} | {fact.confidence:.2f} | {_quote(fact, known, said)} |"
        for fact in others
    )
    return ["| wrong | sure | where it was read |\n|---|---|---|", *rows]


def _found(pattern: Pattern, facts: Sequence[Fact], case: FactCase) -> Fact | None:
    return next((fact for fact in facts if matches(pattern, fact, case.lang)), None)


def _quote(fact: Fact, known: Known, said: dict[str, str]) -> str:
    text = said.get(known.turn_of.get(fact.source_uid, ""), "")
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    main()
