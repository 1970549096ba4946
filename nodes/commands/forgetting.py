"""What people are told who had facts forgotten: which ones, and what became of their messages."""

from __future__ import annotations

from memory.facts.correcting import TakenBack


def forgotten_text(taken: TakenBack) -> str:
    """Return what was forgotten, a line for each fact, and what stays."""
    noun = "1 fact" if len(taken.facts) == 1 else f"{len(taken.facts)} facts"
    lines = [f"Forgotten, {noun}:", *(f"- {each.key}: {each.value}" for each in taken.facts)]
    return "\n".join([*lines, *_what_stays(len(taken.withheld), len(taken.kept))])


def _what_stays(withheld: int, kept: int) -> list[str]:
    lines = []
    if withheld == 1:
        lines.append("The message that told it is out of prompts and searches, not the transcript.")
    elif withheld:
        lines.append(
            f"The {withheld} messages that told it are out of prompts and searches, not the"
            " transcript."
        )
    if kept == 1:
        lines.append("A message that told it tells other facts, too, and can still be found.")
    elif kept:
        lines.append(f"{kept} messages that told it tell other facts, too, and can still be found.")
    return lines
