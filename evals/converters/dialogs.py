"""What LoCoMo and REALTALK have in common: two people who talk, and evidence by turn id."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from pathlib import Path

from evals.converters.reading import Left, Part, Row, Unfit

NO_EVIDENCE = "questions without evidence in the conversation"
UNKNOWN = "evidence ids that no turn has"
_ID = re.compile(r"D\s*(\d+)\s*:\s*(\d+)")
_RANGE = re.compile(r"D\s*(\d+)\s*:\s*(\d+)\s*-\s*(?:D\s*)?(\d+)\s*:\s*(\d+)")
_CATEGORIES = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
"""Source: LoCoMo's task_eval/evaluation.py; REALTALK uses the first three."""


class Asked(Part):
    """A question about a conversation."""

    question: str
    answer: str | None = None
    adversarial_answer: str | None = None
    evidence: tuple[str, ...] = ()
    category: int


def questions(case_id: str, asked: Sequence[Asked], known: Set[str], left: Left) -> list[Row]:
    """Return questions in the format of `recall`.

    Ids count up over all, also those that are left out: a question whose evidence is not in the
    conversation cannot be scored, and it is no abstention.
    """
    rows = []
    for number, one in enumerate(asked):
        evidence = evidence_ids(one.evidence, known, left)
        if not evidence:
            left[NO_EVIDENCE] += 1
            continue
        rows.append(
            {
                "id": f"{case_id}-q{number}",
                "question": one.question,
                "category": _CATEGORIES.get(one.category, str(one.category)),
                "evidence": evidence,
                "answer": one.answer if one.answer is not None else one.adversarial_answer or "",
            }
        )
    return rows


def evidence_ids(given: Iterable[str], known: Set[str], left: Left) -> list[str]:
    """Return the turn ids in hand-written evidence, each once, in its order.

    Several ids may stand in one string, with anything between; `D30:05` is `D30:5`, and
    `D12:3-D12:5` a range. What no turn has is left out.
    """
    found: dict[str, None] = {}
    for text in given:
        ids = _ids(text)
        for one in ids:
            if one in known:
                found[one] = None
            else:
                left[UNKNOWN] += 1
        if text.strip() and not ids:
            left[UNKNOWN] += 1
    return list(found)


def _ids(text: str) -> list[str]:
    def spelled(match: re.Match[str]) -> str:
        session, first, last_session, last = (int(one) for one in match.groups())
        if session != last_session or last < first:
            return match[0]
        return " ".join(f"D{session}:{turn}" for turn in range(first, last + 1))

    return [f"D{int(m[1])}:{int(m[2])}" for m in _ID.finditer(_RANGE.sub(spelled, text))]


def with_image(text: str, caption: str | None) -> str:
    """Return a turn's text with what its picture shows."""
    return f"{text} [image: {caption}]" if caption else text


def files(source: Path, pattern: str) -> list[Path]:
    """Return the source, or the files in it that match, in natural order.

    Raises:
        Unfit: a folder without such files.
    """
    if not source.is_dir():
        return [source]
    found = sorted(source.glob(pattern), key=lambda path: natural(path.name))
    if not found:
        raise Unfit(f"a folder without {pattern}")
    return found


def natural(name: str) -> list[tuple[int, str]]:
    """Return a sort key that puts `Chat_2` before `Chat_10`."""
    return [(int(one), "") if one.isdigit() else (0, one) for one in re.split(r"(\d+)", name)]
