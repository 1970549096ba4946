"""The lines of a pool in the order in which they answer, with the parts of their scores. Pure."""

from __future__ import annotations

import numpy as np

from memory.domain.recalls import Recalled
from memory.recall.ranking.attention import shipped_attention
from memory.recall.ranking.features import (
    Pool,
    Question,
    features,
    style,
    with_attention,
    with_succession,
)
from memory.recall.ranking.scorer import Scorer, shipped_scorer


def ranked(
    question: Question,
    pool: Pool,
    limit: int,
    *,
    by_feature: bool = False,
    scorer: Scorer | None = None,
) -> list[Recalled]:
    """Return at most `limit` messages, best first, each with the parts of its score.

    `by_feature`: one part for each feature, and not for each group of them. `scorer`: in place of
    the one of the package.
    """
    table = features(question, pool)
    if not table.lines:
        return []
    scorer, lines = scorer or shipped_scorer(), table.lines
    how = style(pool)
    first = scorer.scores(table.columns, how)
    table = with_attention(question, pool, table, first, shipped_attention())
    table = with_succession(question, table, scorer.scores(table.columns, how))
    parts = scorer.parts(table.columns, how) if by_feature else scorer.grouped(table, how)
    scores = np.sum(list(parts.values()), axis=0)
    # Of equals the later one first: ids are random, an order by them would not repeat.
    positions = np.array([line.position for line in lines])
    order = np.lexsort((-positions, -table.sent, -scores))
    return [
        Recalled(
            "message",
            lines[n].uid,
            float(scores[n]),
            {name: round(float(part[n]), 4) for name, part in parts.items() if part[n]}
            | {"cosine": float(pool.cosines.get(lines[n].uid, 0.0))},
        )
        for n in order[:limit].tolist()
    ]
