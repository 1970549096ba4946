"""The worst cases of a run: what was looked for, what came instead, and by which scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from evals.reports.meanings import WORST_BY, headlines, meaning_of, shown
from evals.reports.page.drawings import DEEPEST, systems_of
from evals.reports.plots import score_bar
from evals.reports.saved import Saved, SavedFound, SavedItem, SavedResult, SavedSystem
from evals.reports.texts import excerpt
from evals.suite.run import Texts

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
    metric: str
    score: str
    scores: tuple[tuple[str, str], ...]
    sought: tuple[Sought, ...]
    recalled: tuple[Recalled, ...]


def worst_metrics(suite: str, system: SavedSystem) -> tuple[str, ...]:
    """Return the metrics that worst cases are chosen by, of those that items have."""
    scored = list(dict.fromkeys(name for item in system.items for name in item.scores))
    known = [name for name in scored if meaning_of(name, suite).better != "neither"]
    if chosen := tuple(name for name in WORST_BY.get(suite, ()) if name in known):
        return chosen
    return tuple(headlines(suite, known)[:1])


def worst_cases(result: SavedResult, texts: Texts) -> list[WorstCase]:
    """Return at most `MOST` items below the best score, spread over metrics and groups.

    Within a value of the first group the lowest score comes first, and among equals what another
    system got right: there it can be done.
    """
    systems = systems_of(result)
    if not systems:
        return []
    name, product = next(iter(systems.items()))
    metrics = worst_metrics(result.suite, product)
    scores = {
        who: {(item.case, item.item): item.scores for item in system.items}
        for who, system in systems.items()
    }
    found = []
    for item in product.items:
        bad = [(_badness(result.suite, metric, item.scores), metric) for metric in metrics]
        badness, metric = max(bad, key=lambda one: one[0], default=(0.0, ""))
        if badness > 0:
            own = {who: of.get((item.case, item.item), {}) for who, of in scores.items()}
            others = [
                _badness(result.suite, metric, one)
                for who, one in own.items()
                if who != name and one.get(metric) is not None
            ]
            found.append(_Bad(item, metric, badness, min(others, default=badness), own))
    return [_case(one, product.k, texts) for one in _spread(sorted(found, key=_Bad.order))]


@dataclass(frozen=True, slots=True)
class _Bad:
    """An item, by which metric it is bad and how much, and the least bad score of the others."""

    item: SavedItem
    metric: str
    badness: float
    elsewhere: float
    scores: Mapping[str, Saved]

    def order(self) -> tuple[float, float, str, str]:
        return -self.badness, self.elsewhere, self.item.case, self.item.item


def _badness(suite: str, metric: str, scores: Saved) -> float:
    """Return how far a score is from the best one; 0 where there is no score."""
    score = scores.get(metric)
    if score is None:
        return 0.0
    return 1.0 - score if meaning_of(metric, suite).better == "higher" else score


def _spread(ordered: Sequence[_Bad]) -> list[_Bad]:
    """Take in turns from each metric and value of the first group, in each from its start."""
    queues: defaultdict[tuple[str, str], list[_Bad]] = defaultdict(list)
    for one in ordered:
        queues[one.metric, next(iter(one.item.groups.values()), "")].append(one)
    chosen: list[_Bad] = []
    depth = 0
    while len(chosen) < min(MOST, len(ordered)):
        chosen += [queue[depth] for _, queue in sorted(queues.items()) if depth < len(queue)]
        depth += 1
    return sorted(chosen[:MOST], key=_Bad.order)


def _case(bad: _Bad, k: int | None, texts: Texts) -> WorstCase:
    item, metric = bad.item, bad.metric
    best = max([score for one in item.found if (score := _score(one)) is not None], default=0.0)
    ranked = {one.id: (one.rank or place, one) for place, one in enumerate(item.found, start=1)}
    return WorstCase(
        case=item.case,
        item=item.item,
        groups=tuple(item.groups.items()),
        text=texts.items.get((item.case, item.item), item.item),
        metric=metric,
        score=f"{metric} {shown(item.scores.get(metric))}",
        scores=tuple((name, shown(own.get(metric))) for name, own in bad.scores.items()),
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
    told = {name: value for name, value in (found.model_extra or {}).items() if value is not None}
    return (
        *((name, shown(value)) for name, value in given.items()),
        *((name, excerpt(str(value), 80)) for name, value in told.items()),
    )
