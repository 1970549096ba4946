"""What is read of each line beside a question, as numbers. Pure.

Each feature is scaled within the question, mostly to 0..1, so that one set of weights fits every
chat. `docs/retrieval.md` tells what each of them is worth.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

import numpy as np
import numpy.typing as npt

from memory.domain.readings import Kinds
from memory.domain.recalls import Lexical, Line
from memory.recall.questions import is_first_person
from memory.recall.ranking.activation import presence
from memory.recall.ranking.around import beside, neighbours, sittings
from memory.recall.ranking.attention import READ, Attention, Spot
from memory.recall.ranking.known import kinds_told
from memory.recall.ranking.late import Asking, closest, directions
from memory.recall.ranking.succession import FOLLOWS, FOLLOWS_NOW, succession
from memory.recall.ranking.wording import Signs, asks_agent, asks_now, asks_when, signs
from memory.text.dates import spans
from memory.text.lexical import K1, B

Floats = npt.NDArray[np.float32]

NEAR_PIECES: Final = (0.9, 0.8)
"""What a piece's cosine counts one line beside, and two."""
ATTENDED: Final = "attended"
SHORT, LONG = 5.0, 45.0
"""Average terms of a line in chats of short lines, and of long messages."""
GROUPS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("bm25", "covered"), "lexical"),
    "dense": "dense",
    **dict.fromkeys(("late", "late_window"), "late"),
    **dict.fromkeys(("covered_window", "around", "sitting", "asked_before"), "context"),
    **dict.fromkeys(("speaker_named", "by_asker", "of_another", "agent_asked"), "speaker"),
    **dict.fromkeys(("tells_time", "recency", "dated"), "time"),
    ATTENDED: ATTENDED,
    **dict.fromkeys((FOLLOWS, FOLLOWS_NOW), "later"),
    "asks": "form",
    "kind_asked": "facts",
    "used": "used",
}
"""Of which part of a score, as receipts show it, each feature is."""
NEGATIVE: Final = frozenset({"asks", "of_another"})
"""What speaks against a line; everything else speaks for it."""
_STEP_OF: Final = np.array([1, 1, 2, 2], np.float32)
_BEST: Final = 3  # lines of a sitting
_LEAST: Final = 1e-4
_DAY: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class Question:
    """What is looked for: its words, when and by whom it is asked, its pieces and kinds.

    `rewritten`: the same in a model's words. They name people and times; who is asked for what,
    such as the agent's own words, is told by the asker's alone.
    """

    text: str
    now: datetime
    contact_id: str = ""
    asking: Asking | None = None
    kinds: Kinds = field(default_factory=dict)
    rewritten: tuple[str, ...] = ()

    @property
    def wording(self) -> str:
        """Every wording, a line each, the asker's first."""
        return "\n".join([self.text, *self.rewritten])


@dataclass(frozen=True, slots=True)
class Pool:
    """What may answer: lines, how they match by words, and their cosines by uid."""

    lines: Sequence[Line]
    lexical: Lexical
    cosines: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Table:
    """The lines of a pool that may answer, and each feature by name, a number a line.

    `groups`: of which part of a score each is; what stands in for another is of its own part.
    `sent`: when each line was said, in seconds.
    """

    lines: Sequence[Line]
    columns: Mapping[str, Floats]
    groups: Mapping[str, str] = field(default_factory=lambda: GROUPS)
    sent: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))


def features(question: Question, pool: Pool) -> Table:
    """Read the features of a pool's lines.

    What the agent said answers only what asks for it (W4), and what stands for a picture or a call
    answers nothing; other lines have them beside them all the same.
    """
    lines = pool.lines
    if not lines:
        return Table((), {})
    places = neighbours(lines)
    sent = np.array([line.sent_at.timestamp() for line in lines])
    terms, idf = _terms(pool)
    seen = [signs(line.text) for line in lines]
    asks = np.array([each.asks for each in seen], np.float32)
    lends = _lends(lines, asks, places)
    found = _words(pool, terms, idf, places, lends)
    cosine = np.array([pool.cosines.get(line.uid, 0.0) for line in lines], np.float32)
    # Words stand in for vectors that are missing, and both for those of pieces.
    found["dense"] = _relative(cosine) if pool.cosines else found["bm25"]
    base = 0.5 * found["bm25"] + 0.5 * found["dense"]
    # What only asks lends nothing to the lines beside it, but for the answer behind it.
    around = _around(base * (1 - asks), places)
    found["around"] = around
    found["sitting"] = _best_of_sitting(base * (1 - asks), sittings(lines, sent))
    found["asks"] = asks
    found["asked_before"] = beside(base * asks, places)[:, 0] * (1 - asks)
    groups = dict(GROUPS) if pool.cosines else {**GROUPS, "dense": "lexical"}
    if pieces := _pieces(question, lines, places, lends):
        found |= pieces
    else:
        found |= {"late": _above_mean(base), "late_window": _above_mean(base + around)}
        groups |= dict.fromkeys(("late", "late_window"), groups["dense"])
    found |= _people(question, lines, seen)
    found |= _times(question, sent, seen)
    found["recency"], found["used"] = presence(lines, sent, question.now.timestamp())
    # A question is marked for what it asks: it tells nothing.
    found["kind_asked"] = kinds_told(question.kinds, lines) * (1 - asks)
    is_agent = np.array([line.is_agent for line in lines])
    of_agent = asks_agent(question.text)
    found["agent_asked"] = (is_agent & of_agent).astype(np.float32)
    is_text = ~np.array([each.is_media for each in seen])
    kept = np.flatnonzero((~is_agent | of_agent) & is_text)
    return Table(
        [lines[index] for index in kept.tolist()],
        {name: value[kept].astype(np.float32, copy=False) for name, value in found.items()},
        groups,
        sent[kept],
    )


def with_attention(
    question: Question,
    pool: Pool,
    table: Table,
    scores: npt.NDArray[np.floating],
    attention: Attention,
) -> Table:
    """Return the table with how well the first lines answer, read beside the question.

    The least of them is 0, as is every line that is not read: none of these comes before them.
    Where the pieces are of another space, or none are kept, it is 0 throughout.
    """
    found = np.zeros(len(table.lines), np.float32)
    first = np.argsort(-scores, kind="stable")[:READ]
    asking = question.asking
    if asking and asking.space == attention.space and any(table.lines[n].tokens for n in first):
        tokens = {(line.thread_id, line.position): line.tokens for line in pool.lines}
        spots = [
            Spot(*(tokens.get((line.thread_id, line.position + step), b"") for step in (0, -1, 1)))
            for line in (table.lines[n] for n in first)
        ]
        told = attention.scores(asking, spots)
        found[first] = told - told.min()
    return replace(table, columns={**table.columns, ATTENDED: found})


def with_succession(question: Question, table: Table, scores: npt.NDArray[np.floating]) -> Table:
    """Return the table with what is known once each line has a score: which came later.

    Without vectors of pieces nobody can tell what two lines are about, and it is 0.
    """
    about = what_about(question, table)
    found = succession(scores, table.sent, about, is_now=asks_now(question.text))
    return replace(table, columns={**table.columns, **found})


def what_about(question: Question, table: Table) -> Floats:
    """Return what each line is about, (lines, width); nothing where no pieces can tell."""
    if question.asking is None:
        return np.zeros((len(table.lines), 0), np.float32)
    return directions([line.tokens for line in table.lines], question.asking.vectors.shape[1])


def style(pool: Pool) -> float:
    """Return how long the chat's messages are: 0 for short lines, 1 for long messages."""
    share = np.log(max(pool.lexical.average, 1.0) / SHORT) / np.log(LONG / SHORT)
    return float(np.clip(share, 0, 1))


def _terms(pool: Pool) -> tuple[Floats, Floats]:
    """Return how often each of the query's terms stands in each line, and how rare each is."""
    names = sorted(pool.lexical.spread)
    counts = np.zeros((len(pool.lines), len(names)), np.float32)
    place = {name: index for index, name in enumerate(names)}
    held = [
        (row, place[name], count)
        for row, line in enumerate(pool.lines)
        for name, count in line.terms.items()
        if name in place
    ]
    if held:
        rows, columns, often = zip(*held, strict=True)
        counts[list(rows), list(columns)] = often
    spread = np.array([pool.lexical.spread[name] for name in names], np.float32)
    documents = max(pool.lexical.documents, 1)
    return counts, np.log(1 + (documents - spread + 0.5) / (spread + 0.5)).clip(0)


def _lends(lines: Sequence[Line], asks: Floats, places: npt.NDArray[np.int64]) -> Floats:
    """Return 1 where a neighbour's words count for a line, (lines, neighbours), else 0.

    A question of one's own does not: of a dozen alike, each would lift what was said between them.
    Somebody else's question tells what its answer is about.
    """
    names: dict[tuple[str, str], int] = {}
    who = [names.setdefault((each.contact_id, each.sender_name), len(names)) for each in lines]
    speakers = np.array(who, np.float32)
    is_own = beside(speakers, places) == speakers[:, None]
    lent: Floats = 1 - (is_own & (beside(asks, places) > 0)).astype(np.float32)
    return lent


def _words(
    pool: Pool, terms: Floats, idf: Floats, places: npt.NDArray[np.int64], lends: Floats
) -> dict[str, Floats]:
    share = np.array([line.length for line in pool.lines], np.float32) / pool.lexical.average
    norm = K1 * (1 - B + B * share)[:, None]
    total = max(float(idf.sum()), 1e-6)
    seen = (terms > 0) | ((beside(terms, places) > 0) & (lends > 0)[..., None]).any(1)
    return {
        "bm25": _by_best((idf * terms * (K1 + 1) / (terms + norm)).sum(1)),
        "covered": ((terms > 0) * idf).sum(1) / total,
        "covered_window": (seen * idf).sum(1) / total,
    }


def _pieces(
    question: Question, lines: Sequence[Line], places: npt.NDArray[np.int64], lends: Floats
) -> dict[str, Floats]:
    """Return what pieces say; nothing where there are none."""
    if question.asking is None or not any(line.tokens for line in lines):
        return {}
    weights = question.asking.weights
    best = closest(question.asking, [line.tokens for line in lines])
    around = beside(best, places) * lends[..., None]
    window = np.maximum(best, NEAR_PIECES[0] * around[:, :2].max(1))
    window = np.maximum(window, NEAR_PIECES[1] * around[:, 2:4].max(1))
    # No product by BLAS: of a long question it would start threads.
    return {
        "late": _above_mean(np.einsum("lp,p->l", best, weights)),
        "late_window": _above_mean(np.einsum("lp,p->l", window, weights)),
    }


def _people(question: Question, lines: Sequence[Line], seen: Sequence[Signs]) -> dict[str, Floats]:
    words = set(re.findall(r"\w+", question.wording.casefold()))
    named = {
        name: any(part in words for part in re.findall(r"\w+", name.casefold()))
        for name in {line.sender_name for line in lines}
    }
    is_asker = np.array([line.contact_id == question.contact_id for line in lines])
    own = np.array([each.of_speaker for each in seen])
    of_asker = is_first_person(question.text)
    return {
        "speaker_named": np.array([named[line.sender_name] for line in lines], np.float32),
        "by_asker": (is_asker & of_asker).astype(np.float32),
        "of_another": (~is_asker & own & of_asker).astype(np.float32),
    }


def _dated(question: Question, sent: npt.NDArray[np.float64]) -> Floats:
    """Return 1 where a line is of a time that the question names, 0 from twice its length away.

    What happened is often told a little later.
    """
    found = np.zeros(len(sent))
    for start, end in spans(question.wording, question.now):
        length = max((end - start).total_seconds(), _DAY)
        outside = np.maximum(start.timestamp() - sent, sent - end.timestamp()).clip(0)
        found = np.maximum(found, 1 - outside / (2 * length))
    return found.astype(np.float32)


def _times(
    question: Question, sent: npt.NDArray[np.float64], seen: Sequence[Signs]
) -> dict[str, Floats]:
    when = asks_when(question.text)
    return {
        "dated": _dated(question, sent),
        "tells_time": np.array([each.tells_time and when for each in seen], np.float32),
    }


def _around(values: Floats, places: npt.NDArray[np.int64]) -> Floats:
    """Return what the lines within two positions have, the nearer ones counting twice."""
    near: Floats = (beside(values, places)[:, :4] / _STEP_OF).sum(1) / 2
    return near


def _best_of_sitting(base: Floats, numbers: npt.NDArray[np.int64]) -> Floats:
    """Return the sum of the best three of each line's sitting, the best sitting being 1."""
    order = np.lexsort((-base, numbers))
    grouped = numbers[order]
    best = order[np.arange(len(order)) - np.searchsorted(grouped, grouped) < _BEST]
    return _by_best(np.bincount(numbers[best], base[best]).astype(np.float32))[numbers]


def _by_best(values: Floats) -> Floats:
    top = float(values.max(initial=0))
    return values / top if top > 0 else values


def _relative(values: Floats) -> Floats:
    """Scale to 0..1 what was found; what was not found is 0."""
    there = values != 0
    if not there.any():
        return values
    low, high = float(values[there].min()), float(values[there].max())
    scaled = 0.01 + 0.99 * (values - low) / (high - low) if high > low else np.ones_like(values)
    return np.where(there, scaled, 0).astype(np.float32)


def _above_mean(values: Floats) -> Floats:
    """Scale so that the mean is 0, and that of the best tenth, ten at most, is 1."""
    mean, most = float(values.mean()), min(max(len(values) // 10, 1), 10)
    top = float(np.sort(values)[-most:].mean())
    return (values - mean) / (top - mean) if top - mean > _LEAST else np.zeros_like(values)
