"""The worst cases of a run: what was looked for, what came instead, and by which scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from evals.reports.meanings import headlines, meaning_of, shown
from evals.reports.page.drawings import DEEPEST, systems_of
from evals.reports.plots import score_bar
from evals.reports.saved import SavedFound, SavedItem, SavedResult, SavedSystem
from evals.run import Texts

MOST = 20


@dataclass(frozen=True, slots=True)
class Sought:
    """A piece of evidence: its text, where it was found, and its score parts when it was."""

    id: str
    text: str
    place: str
    was_found: bool
    parts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Recalled:
    """A hit: its text, whether it was evidence, a bar of its score against the best, the parts."""

    rank: int
    id: str
    text: str
    is_evidence: bool
    bar: Markup
    parts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class WorstCase:
    """An item that scored low; `scores`: each system's for it."""

    case: str
    item: str
    groups: tuple[tuple[str, str], ...]
    text: str
    score: str
    scores: tuple[tuple[str, str], ...]
    sought: tuple[Sought, ...]
    recalled: tuple[Recalled, ...]


def worst_metric(suite: str, system: SavedSystem) -> str | None:
    """Return the metric that worst cases are chosen by: the first headline that items have."""
    scored = list(dict.fromkeys(name for item in system.items for name in item.scores))
    known = [name for name in scored if meaning_of(name, suite).better != "neither"]
    return next(iter(headlines(suite, known)), None)


def worst_cases(result: SavedResult, texts: Texts) -> list[WorstCase]:
    """Return at most `MOST` items below the best score, spread over the first group's values.

    Within a value the lowest score comes first, and among equals what another system got right:
    there it can be done.
    """
    systems = systems_of(result)
    product = next(iter(systems.values()), None)
    metric = worst_metric(result.suite, product) if product else None
    if product is None or metric is None:
        return []
    sign = 1.0 if meaning_of(metric, result.suite).better == "higher" else -1.0
    scores = {
        name: {(item.case, item.item): item.scores.get(metric) for item in system.items}
        for name, system in systems.items()
    }
    others = [found for name, found in scores.items() if found is not scores[next(iter(systems))]]

    def order(item: SavedItem) -> tuple[float, float, str, str]:
        mine = sign * (item.scores.get(metric) or 0.0)
        elsewhere = [found.get((item.case, item.item)) for found in others]
        best = max([sign * one for one in elsewhere if one is not None], default=mine)
        return mine, -best, item.case, item.item

    ideal = 1.0 if sign > 0 else 0.0
    lacking = [
        item
        for item in product.items
        if (score := item.scores.get(metric)) is not None and sign * score < sign * ideal
    ]
    chosen = sorted(_spread(sorted(lacking, key=order)), key=order)
    return [_case(item, metric, _of_item(item, scores), product.k, texts) for item in chosen]


def _of_item(
    item: SavedItem, scores: Mapping[str, Mapping[tuple[str, str], float | None]]
) -> dict[str, float | None]:
    return {name: found.get((item.case, item.item)) for name, found in scores.items()}


def _spread(ordered: Sequence[SavedItem]) -> list[SavedItem]:
    """Take in turns from each value of the first group, in each from its start."""
    queues: defaultdict[str, list[SavedItem]] = defaultdict(list)
    for item in ordered:
        queues[next(iter(item.groups.values()), "")].append(item)
    chosen: list[SavedItem] = []
    depth = 0
    while len(chosen) < min(MOST, len(ordered)):
        chosen += [queues[value][depth] for value in sorted(queues) if depth < len(queues[value])]
        depth += 1
    return chosen[:MOST]


def _case(
    item: SavedItem,
    metric: str,
    scores: Mapping[str, float | None],
    k: int | None,
    texts: Texts,
) -> WorstCase:
    best = max([score for one in item.found if (score := _score(one)) is not None], default=0.0)
    ranked = {one.id: (one.rank or place, one) for place, one in enumerate(item.found, start=1)}
    return WorstCase(
        case=item.case,
        item=item.item,
        groups=tuple(item.groups.items()),
        text=texts.items.get((item.case, item.item), item.item),
        score=f"{metric} {shown(item.scores.get(metric))}",
        scores=tuple((name, shown(score)) for name, score in scores.items()),
        sought=tuple(_sought(item.case, one, ranked, k, texts) for one in item.evidence),
        recalled=tuple(
            Recalled(
                rank=place,
                id=one.id,
                text=texts.sources.get((item.case, one.id), one.id),
                is_evidence=one.id in item.evidence,
                bar=_bar(_score(one), best),
                parts=_parts(one),
            )
            for place, one in enumerate(item.found, start=1)
            if (one.rank or place) <= DEEPEST
        ),
    )


def _sought(
    case: str,
    evidence: str,
    ranked: Mapping[str, tuple[int, SavedFound]],
    k: int | None,
    texts: Texts,
) -> Sought:
    rank, found = ranked.get(evidence, (0, None))
    missing = f"not among the first {k}" if k else "not found"
    return Sought(
        id=evidence,
        text=texts.sources.get((case, evidence), evidence),
        place=f"rank {rank}" if found else missing,
        was_found=found is not None and rank <= DEEPEST,
        parts=_parts(found) if found else (),
    )


def _score(found: SavedFound) -> float | None:
    return found.parts.get("score", found.score)


def _bar(score: float | None, best: float) -> Markup:
    if score is None or best <= 0:
        return Markup("")
    return Markup(score_bar(f"score {shown(score)}", score / best))  # noqa: S704  (our own SVG)


def _parts(found: SavedFound) -> tuple[tuple[str, str], ...]:
    given = found.parts if found.score is None else {"score": found.score, **found.parts}
    return tuple((name, shown(value)) for name, value in given.items())
