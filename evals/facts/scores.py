"""Scores of the `facts` suite. Pure.

Every rate is a mean over items: `recall` over the patterns of facts that must be active,
`precision` over the active facts of exhaustive checks (those that are merely allowed aside), the
violations over their patterns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from evals.facts.cases import FactCase, Pattern, pattern_id
from evals.facts.conversation import Known, Played
from evals.facts.matching import matches
from evals.suite.metrics import mean, percentile
from evals.suite.run import Figures, Item, SystemResult
from memory.domain.facts import Fact

FOUND_SHOWS = 10
"""How many stored facts a result names for each pattern."""


def score(played: Sequence[Played]) -> SystemResult:
    """Return the figures over all cases, by tag, by language and by key."""
    tags: defaultdict[str, list[Played]] = defaultdict(list)
    langs: defaultdict[str, list[Played]] = defaultdict(list)
    for one in played:
        langs[one.case.lang].append(one)
        for tag in dict.fromkeys(one.case.tags):
            tags[tag].append(one)
    times = [ms for one in played for ms in one.extract_ms]
    items = [item for one in played for item in items_of(one)]
    metrics = quality(played) | {
        "extract_ms_p50": percentile(times, 0.5),
        "extract_ms_p95": percentile(times, 0.95),
    }
    by = {
        group: {value: quality(ones) for value, ones in sorted(values.items())}
        for group, values in (("lang", langs), ("tag", tags))
    }
    keys: defaultdict[str, list[Item]] = defaultdict(list)
    for item in items:
        keys[item.groups["key"]].append(item)
    by["key"] = {key: _rates(ones) for key, ones in sorted(keys.items())}
    return SystemResult(metrics, by, items)


def quality(played: Sequence[Played]) -> Figures:
    """Return the figures that do not depend on the machine."""
    items = [item for one in played for item in items_of(one)]
    return {"cases": float(len(played)), **_rates(items)}


def _rates(items: Sequence[Item]) -> Figures:
    def rate(name: str) -> float | None:
        return mean([value for item in items if (value := item.scores.get(name)) is not None])

    recall, precision = rate("recall"), rate("precision")
    return {
        "recall": recall,
        "precision": precision,
        "f1": harmonic(recall, precision),
        "inactive_violations": rate("inactive_violations"),
        "never_violations": rate("never_violations"),
    }


def harmonic(recall: float | None, precision: float | None) -> float | None:
    """Return the harmonic mean of both; None unless both were measured.

    Source: van Rijsbergen, Information Retrieval (1979), with equal weights.
    """
    if recall is None or precision is None:
        return None
    total = recall + precision
    return 2 * recall * precision / total if total else 0.0


def items_of(played: Played) -> Iterator[Item]:
    """Yield one item for each pattern, and one for each active fact of an exhaustive check."""
    for number, known in enumerate(played.known, start=1):
        yield from _pattern_items(played.case, number, known)
        if known.check.exhaustive:
            yield from _stored_items(played.case, number, known)


def _pattern_items(case: FactCase, number: int, known: Known) -> Iterator[Item]:
    check = known.check
    for position, pattern in enumerate(check.active, start=1):
        hits = _hits(case, pattern, known, past=False)
        # What was there instead is of the same contact and category.
        found = hits or [
            fact
            for fact in known.active.get(_contact(case, pattern), [])
            if fact.category == pattern.category
        ]
        scores: Figures = {"recall": float(bool(hits))}
        yield _item(case, number, "active", position, pattern.key, scores, known, found)
    for position, pattern in enumerate(check.inactive, start=1):
        hits = _hits(case, pattern, known, past=False)
        scores = {"inactive_violations": float(bool(hits))}
        yield _item(case, number, "inactive", position, pattern.key, scores, known, hits)
    for position, pattern in enumerate(check.never, start=1):
        hits = _hits(case, pattern, known, past=True)
        scores = {"never_violations": float(bool(hits))}
        yield _item(case, number, "never", position, pattern.key, scores, known, hits)


def _stored_items(case: FactCase, number: int, known: Known) -> Iterator[Item]:
    position = 0
    for speaker, facts in known.active.items():
        for fact in sorted(facts, key=_order):
            is_right = _is_meant(case, known.check.active, speaker, fact)
            if not is_right and _is_meant(case, known.check.allowed, speaker, fact):
                continue
            position += 1
            scores: Figures = {"precision": float(is_right)}
            yield _item(case, number, "stored", position, fact.key, scores, known, [fact])


def _is_meant(case: FactCase, patterns: Sequence[Pattern], speaker: str, fact: Fact) -> bool:
    return any(
        _contact(case, pattern) == speaker and matches(pattern, fact, case.lang)
        for pattern in patterns
    )


def _hits(case: FactCase, pattern: Pattern, known: Known, *, past: bool) -> list[Fact]:
    held = known.history if past else known.active
    facts = held.get(_contact(case, pattern), [])
    return [fact for fact in facts if matches(pattern, fact, case.lang)]


def _contact(case: FactCase, pattern: Pattern) -> str:
    return pattern.contact or (case.speakers[0] if case.speakers else "")


def _item(
    case: FactCase,
    check: int,
    kind: str,
    position: int,
    key: str,
    scores: Figures,
    known: Known,
    facts: Sequence[Fact],
) -> Item:
    name = pattern_id(check, kind, position)
    return Item(
        case=case.case_id,
        item=name,
        groups={
            "lang": case.lang,
            "tag": ", ".join(dict.fromkeys(case.tags)),
            "key": key.partition(":")[0],
        },
        scores=scores,
        evidence=(name,) if kind != "stored" else (),
        found=tuple(
            {
                "id": known.turn_of.get(fact.source_uid, "?"),
                "fact": f"{fact.category}/{fact.key}",
                "status": fact.status,
            }
            for fact in sorted(facts, key=_order)[:FOUND_SHOWS]
        ),
    )


def _order(fact: Fact) -> tuple[str, str, str, str]:
    return fact.category, fact.key, fact.value, fact.status
