"""How well marks are found: by key, status, language and voice."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from memory.domain.readings import Span
from memory.facts.reading.labels import NOUN_OF
from scripts.reader.corpus import language_of
from scripts.reader.notation import Labelled, Mark


def fits(span: Span, mark: Mark, text: str) -> bool:
    """Tell whether a span is the mark: its key, its status, and its words but for three more."""
    if span.key != mark.key or span.status != mark.status:
        return False
    if span.end <= mark.start or mark.end <= span.start:
        return False
    found, meant = text[span.start : span.end].split(), text[mark.start : mark.end].split()
    return abs(len(found) - len(meant)) <= 3 and (
        (span.start <= mark.start and mark.end <= span.end)
        or (mark.start <= span.start and span.end <= mark.end)
    )


def judge(
    messages: Sequence[Labelled],
    found: Sequence[Sequence[Span]],
    at_least: float,
    statuses: Sequence[str] = ("stated",),
) -> dict[str, dict[str, dict[str, int]]]:
    """Return marks, found marks and found spans by key, language and voice, and in all."""
    counts: defaultdict[str, defaultdict[str, Counter[str]]] = defaultdict(
        lambda: defaultdict(Counter)
    )
    nouns = set(NOUN_OF.values())
    for message, spans in zip(messages, found, strict=True):
        sure = [span for span in spans if span.confidence >= at_least]
        kept = [span for span in sure if span.status in statuses and span.key not in nouns]
        marks = [m for m in message.marks if m.status in statuses and m.key not in nouns]
        groups = {"all": "all", "language": language_of(message.voice), "voice": message.voice}
        for group, name in groups.items():
            count = counts[group][name]
            count["marks"] += len(marks)
            count["hits"] += sum(any(fits(s, m, message.text) for s in kept) for m in marks)
            count["spans"] += len(kept)
            count["right"] += sum(any(fits(s, m, message.text) for m in marks) for s in kept)
        for mark in marks:
            counts["key"][mark.key]["marks"] += 1
            counts["key"][mark.key]["hits"] += any(fits(s, mark, message.text) for s in kept)
        for span in kept:
            counts["key"][span.key]["spans"] += 1
            counts["key"][span.key]["right"] += any(fits(span, m, message.text) for m in marks)
    return {g: {n: dict(c) for n, c in sorted(names.items())} for g, names in counts.items()}


def rates(count: dict[str, int]) -> str:
    """Return recall and precision as `.71 / .93 of 120`."""
    marks, spans = count.get("marks", 0), count.get("spans", 0)
    recall = count.get("hits", 0) / marks if marks else 0.0
    precision = count.get("right", 0) / spans if spans else 0.0
    return f"{recall:.3f} / {precision:.3f} of {marks}"
