"""The suite's figures, made of what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from evals.latency.chatter import Chatter
from evals.latency.growth import GrowthPoint
from evals.latency.retrievals import Retrievals
from evals.latency.turns import Timed
from evals.suite.metrics import mean, percentile, thinned
from evals.suite.requirements import PRODUCT
from evals.suite.run import Figures, SystemResult

FLOOR = "floor"
STORE_FLOOR = "store-floor"


@dataclass(slots=True)
class Measured:
    """What was measured of the product beside its turns."""

    retrievals: Retrievals = field(default_factory=Retrievals)
    ingest_per_s: float | None = None
    chatter: Chatter | None = None
    growth: list[GrowthPoint] = field(default_factory=list)
    own: list[GrowthPoint] = field(default_factory=list)


def figures(timed: Mapping[str, Timed], measured: Measured) -> dict[str, SystemResult]:
    """Return the figures of every player; the product's with its ratios to the others'."""
    results = {name: _of_player(one) for name, one in timed.items()}
    if PRODUCT in results:
        product = results[PRODUCT]
        product.metrics |= _compared(timed) | _beside_turns(measured)
        product.details["growth"] = [asdict(point) for point in measured.growth]
        product.details["own"] = [asdict(point) for point in measured.own]
        product.details["samples"] |= _thinned(
            {
                "retrieve_ms": measured.retrievals.product,
                "retrieve_floor_ms": measured.retrievals.floor,
            }
        )
    return results


def _of_player(timed: Timed) -> SystemResult:
    """Return a player's own figures; by node: where a turn's time goes."""
    crowd = timed.crowd
    metrics: Figures = {
        "turn_ms_p50": percentile(timed.turn, 0.5),
        "turn_ms_p95": percentile(timed.turn, 0.95),
        "reply_ms_p50": percentile(timed.reply, 0.5),
        "reply_ms_p95": percentile(timed.reply, 0.95),
        "answers_per_s": crowd.answers_per_s if crowd else None,
        **(crowd.processor if crowd else {}),
    }
    parts = {**timed.nodes, "around the graph": timed.outside}
    by = {
        name: {"ms_mean": mean(ms), "ms_p50": percentile(ms, 0.5)}
        for name, ms in parts.items()
        if ms
    }
    samples = _thinned({"turn_ms": timed.turn, "reply_ms": timed.reply})
    return SystemResult(metrics, {"node": by} if by else {}, details={"samples": samples})


def _compared(timed: Mapping[str, Timed]) -> Figures:
    turn = _p50(timed, PRODUCT)
    reply = percentile(timed[PRODUCT].reply, 0.5)
    floor = _p50(timed, FLOOR)
    other = percentile(timed[STORE_FLOOR].reply, 0.5) if STORE_FLOOR in timed else None
    return {
        "floor_ms_p50": floor,
        "turn_ratio": _ratio(turn, floor),
        "reply_ratio": _ratio(reply, floor),
        "reply_store_floor_ratio": _ratio(reply, other),
        "turn_store_floor_ratio": _ratio(turn, _p50(timed, STORE_FLOOR)),
    }


def _beside_turns(measured: Measured) -> Figures:
    retrieve = percentile(measured.retrievals.product, 0.5)
    bare = percentile(measured.retrievals.floor, 0.5)
    chatter = measured.chatter
    return {
        "retrieve_ms_p50": retrieve,
        "retrieve_floor_ms_p50": bare,
        "retrieve_ratio": _ratio(retrieve, bare),
        "growth_ratio": _growth_ratio(measured.growth),
        "ingest_per_s": measured.ingest_per_s,
        "group_chatter_per_s": chatter.recorded_per_s if chatter else None,
        "group_chatter_learned_per_s": chatter.learned_per_s if chatter else None,
        "group_chatter_answers": float(chatter.answers) if chatter else None,
    }


def _growth_ratio(points: Sequence[GrowthPoint]) -> float | None:
    """Return the retrieval's time in the largest store over that in the smallest."""
    if len(points) < 2:
        return None
    return _ratio(points[-1].retrieve_ms_p50, points[0].retrieve_ms_p50)


def _p50(timed: Mapping[str, Timed], name: str) -> float | None:
    return percentile(timed[name].turn, 0.5) if name in timed else None


def _ratio(value: float | None, floor: float | None) -> float | None:
    return value / floor if value and floor else None


def _thinned(samples: Mapping[str, list[float]]) -> dict[str, list[float]]:
    return {name: thinned(ms) for name, ms in samples.items() if ms}
