"""Scores of the `recall` suite from what each question's search returned. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evals.recall.cases import Question, RecallCase
from evals.suite.metrics import (
    auroc,
    found_all,
    found_fraction,
    mean,
    percentile,
    ranks_above,
    reciprocal_rank,
    thinned,
)
from evals.suite.run import Figures, Item, SystemResult
from evals.systems.system import Found
from memory.recall.stages import Stage

ITEM_SHOWS = 10
"""How many of the found turns a result keeps for each question; evidence further down, too."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One question's search: the ranked turns, and what it took.

    `sessions` are the ranked turns' sessions, in the same order; `wanted_sessions` those that hold
    the evidence. `judged`: what the peers' libraries say of it, by metric, where they were asked;
    `stages`: what a model added to the search.
    """

    question: Question
    ids: tuple[str, ...]
    sessions: tuple[str, ...]
    wanted_sessions: frozenset[str]
    confidence: float | None
    search_ms: float
    context_tokens: int
    case_id: str = ""
    lang: str = ""
    style: str = ""
    parts: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    stages: tuple[Stage, ...] = ()
    judged: Figures = field(default_factory=dict)


def answered_by(
    case: RecallCase, question: Question, found: Found, search_ms: float, context_tokens: int
) -> Answered:
    """Return what a system's search found, ready to be scored."""
    session_of = {turn.id: turn.session_id for turn in case.turns}
    wanted = question.evidence_sessions or [session_of[one] for one in question.evidence]
    return Answered(
        question=question,
        ids=found.ids,
        sessions=tuple(session_of[one] for one in found.ids),
        wanted_sessions=frozenset(wanted),
        confidence=found.confidence,
        search_ms=search_ms,
        context_tokens=context_tokens,
        case_id=case.case_id,
        lang=case.lang,
        style=case.style,
        parts=found.parts,
        stages=found.stages,
    )


def score(answered: Sequence[Answered], ingested: int, ingest_s: float) -> SystemResult:
    """Return the suite's figures over all questions, and by what groups them."""
    by: defaultdict[str, dict[str, list[Answered]]] = defaultdict(dict)
    for one in answered:
        for group, name in _groups(one).items():
            by[group].setdefault(name, []).append(one)
    metrics = quality(answered) | {
        "search_ms_p50": percentile([one.search_ms for one in answered], 0.5),
        "search_ms_p95": percentile([one.search_ms for one in answered], 0.95),
        "ingest_per_s": ingested / ingest_s if ingest_s > 0 else None,
    }
    return SystemResult(
        metrics,
        {
            group: {name: quality(names[name]) for name in sorted(names)}
            for group, names in by.items()
        },
        [_item(one) for one in answered],
        {"samples": {"search_ms": thinned([one.search_ms for one in answered])}},
    )


def _groups(one: Answered) -> dict[str, str]:
    told = {"category": one.question.category, "lang": one.lang, "style": one.style}
    return {group: name for group, name in told.items() if name}


def _item(one: Answered) -> Item:
    averaged = ("frac@5", "frac@10", "all@5", "all@10", "mrr", "session@5", "current_above_stale")
    figures = quality([one])
    ranked = [
        {"id": turn}
        | ({"parts": dict(one.parts[turn])} if turn in one.parts else {})
        | ({"rank": rank} if rank > ITEM_SHOWS else {})
        for rank, turn in enumerate(one.ids, start=1)
        if rank <= ITEM_SHOWS or turn in one.question.evidence
    ]
    return Item(
        case=one.case_id,
        item=one.question.id,
        groups=_groups(one),
        scores={name: figures[name] for name in averaged}
        | {"confidence": one.confidence, "is_answerable": float(one.question.is_answerable)}
        | one.judged,
        evidence=one.question.evidence,
        found=tuple(ranked),
    )


def quality(answered: Sequence[Answered]) -> Figures:
    """Return the figures that do not depend on the machine.

    Questions without evidence count for `abstain_auroc` only. `session@5` is the share of the
    evidence's sessions that the first five turns touch.
    Source: session-level recall of LongMemEval (Wu et al., 2024), with turns as what is ranked.
    """
    evident = [one for one in answered if one.question.evidence]
    sessions = [
        found_fraction(one.sessions, one.wanted_sessions, 5)
        for one in answered
        if one.wanted_sessions
    ]
    updated = [one for one in answered if one.question.stale and one.question.current]
    figures: Figures = {"questions": float(len(answered))}
    for k in (5, 10):
        figures[f"frac@{k}"] = mean(
            [found_fraction(one.ids, one.question.evidence, k) for one in evident]
        )
    for k in (5, 10):
        figures[f"all@{k}"] = mean(
            [found_all(one.ids, one.question.evidence, k) for one in evident]
        )
    figures["mrr"] = mean([reciprocal_rank(one.ids, one.question.evidence) for one in evident])
    figures["session@5"] = mean(sessions)
    figures["current_above_stale"] = mean(
        [ranks_above(one.ids, one.question.current, one.question.stale) for one in updated]
    )
    sure = [(one.confidence, one.question) for one in answered if one.confidence is not None]
    figures["abstain_auroc"] = auroc(
        [confidence for confidence, question in sure if question.is_answerable],
        [confidence for confidence, question in sure if not question.is_answerable],
    )
    figures["context_tokens_mean"] = mean([float(one.context_tokens) for one in answered])
    return figures | _judged(answered)


def _judged(answered: Sequence[Answered]) -> Figures:
    """Return the means of what was judged; a metric that nobody was asked for is absent."""
    names = dict.fromkeys(name for one in answered for name in one.judged)
    return {
        name: mean([value for one in answered if (value := one.judged.get(name)) is not None])
        for name in names
    }
