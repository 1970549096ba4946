"""What a file looks like by its first bytes, for a message when it is the wrong one."""

from __future__ import annotations

import codecs
import json
import re
import shlex
from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path

HEAD_BYTES = 64 * 1024

# What the start of an upstream file has, the most telling first.
_UPSTREAM: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("longmemeval", re.compile(r'"haystack_(sessions|session_ids|dates)"\s*:')),
    ("realtalk", re.compile(r'"clean_text"\s*:')),
    ("beam", re.compile(r'"(batch_number|time_anchor|abstention_type|probing_questions)"\s*:')),
    ("dialseg711", re.compile(r'"utterances"\s*:\s*\[|\A\s*call_id_\d|^={8,}\s*$', re.MULTILINE)),
    ("locomo", re.compile(r'"dia_id"\s*:|"evidence"\s*:\s*\[\s*"D\d+:\d')),
    ("goemotions", re.compile(r"\A[^\t\n]+\t\d+(,\d+)*\t\w+\s*$", re.MULTILINE)),
    ("deepset", re.compile(r'\A"?text"?,"?label"?\s*$|\A\{"text":', re.MULTILINE)),
)
TITLES = {
    "locomo": "LoCoMo",
    "longmemeval": "LongMemEval",
    "beam": "BEAM",
    "realtalk": "REALTALK",
    "dialseg711": "DialSeg711",
    "goemotions": "GoEmotions",
    "deepset": "deepset",
}
# Keys that only one suite's cases have.
_CASES: tuple[tuple[str, frozenset[str]], ...] = (
    ("recall", frozenset({"turns", "questions"})),
    ("open_loops", frozenset({"turns", "checks", "timezone"})),
    ("facts", frozenset({"turns", "checks"})),
    ("episodes", frozenset({"turns", "boundaries"})),
    ("summaries", frozenset({"turns", "items"})),
    ("loops", frozenset({"steps", "expect"})),
    ("mood or injection", frozenset({"id", "text", "label"})),
)
_BINARY: tuple[tuple[bytes, str], ...] = (
    (b"PAR1", "a Parquet file"),
    (b"PK\x03\x04", "a zip archive: unpack it"),
    (b"\x1f\x8b", "a gzip archive: unpack it"),
    (b"%PDF", "a PDF"),
    (b"\x80\x04\x95", "a Python pickle"),
    (b"version https://git-lfs", "a placeholder of Git LFS: fetch the file itself"),
)


@dataclass(frozen=True, slots=True)
class Guess:
    """What a file seems to be: an upstream set's own file, cases of a suite, or something else.

    `keys`: by which of its cases' keys a suite was known.
    """

    text: str
    upstream: str | None = None
    is_cases: bool = False
    keys: frozenset[str] = frozenset()


def guess(head: bytes) -> Guess | None:
    """Return what the first bytes of a file look like; None when nothing is known that does."""
    for start, text in _BINARY:
        if head.startswith(start):
            return Guess(text)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return Guess("text in UTF-16: save it as UTF-8")
    shown = head.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")
    line = next((one for one in shown.splitlines() if one.strip()), "")
    is_array = line.lstrip().startswith("[")
    if not is_array and (cases := _cases(line)):
        return cases
    for name, pattern in _UPSTREAM:
        if pattern.search(shown):
            title = TITLES[name]
            whose = f"{title}'" if title.endswith("s") else f"{title}'s"
            return Guess(f"{whose} own file", upstream=name)
    if is_array:
        return Guess("a JSON array")
    return None


def hint(head: bytes, path: Path, fields: Set[str]) -> str | None:
    """Return a line for someone who gave this as a case file, with what to do.

    `fields`: what a case of the suite in question has. None when it seems to be such a file.
    """
    seen = guess(head)
    if seen is None:
        return None
    if seen.upstream:
        convert = f"recollect datasets convert {seen.upstream} {shlex.quote(str(path))}"
        return f"looks like {seen.text}, not cases: {convert} --out FILE.jsonl"
    if seen.text == "a JSON array":
        return (
            "looks like a JSON array: one object a line is needed"
            " (an upstream set's own file: `recollect datasets convert`)"
        )
    if seen.is_cases and seen.keys <= fields:
        return None  # what is wrong with the line says more
    return f"looks like {seen.text}: this suite reads others (formats: datasets/README.md)"


def _cases(line: str) -> Guess | None:
    """Return whose cases the first line could be, by its keys."""
    keys = _keys(line)
    for name, wanted in _CASES:
        if wanted <= keys:
            return Guess(f"a case file of {name}", is_cases=True, keys=wanted)
    return Guess("a case file", is_cases=True) if '"case_id"' in line else None


def _keys(line: str) -> set[str]:
    try:
        value = json.loads(line)
    except ValueError:
        # Cut off by the end of what was read: keys by their look.
        return set(re.findall(r'"(\w+)"\s*:', line)) if '"case_id"' in line else set()
    return set(value) if isinstance(value, dict) else set()
