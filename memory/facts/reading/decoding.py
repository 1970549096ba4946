"""From a chance for each word and tag to the most likely spans. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from memory.domain.readings import Span
from memory.facts.reading.labels import KEYS, OUTSIDE, STATUSES, TAG_COUNT

Floats = npt.NDArray[np.float32]

_FIRST = np.arange(1, TAG_COUNT, 2)
_FURTHER: Final = _FIRST + 1


def best_tags(chances: Floats) -> npt.NDArray[np.int64]:
    """Return the likeliest tag of each word, a further word only after one of the same key.

    `chances`: a row for each word, a column for each tag, logarithms.
    Source: Viterbi, Error Bounds for Convolutional Codes (1967).
    """
    count = len(chances)
    best = np.array(chances[0])
    best[_FURTHER] = -np.inf
    came_from = np.zeros((count, TAG_COUNT), np.int64)
    for word in range(1, count):
        from_any = int(best.argmax())
        came_from[word] = from_any
        step = np.full(TAG_COUNT, best[from_any])
        goes_on = best[_FURTHER] > best[_FIRST]
        came_from[word, _FURTHER] = np.where(goes_on, _FURTHER, _FIRST)
        step[_FURTHER] = np.where(goes_on, best[_FURTHER], best[_FIRST])
        best = step + chances[word]
    tags = np.zeros(count, np.int64)
    tags[-1] = best.argmax()
    for word in range(count - 1, 0, -1):
        tags[word - 1] = came_from[word, tags[word]]
    return tags


def spans_of(tags: Floats, statuses: Floats, words: Sequence[tuple[int, int]]) -> list[Span]:
    """Return the spans that words form, in order.

    `tags` and `statuses`: scores of each word, not normalised; `words`: where each stands, as
    characters from and up to. A span's confidence is its words' mean, times its status's.
    """
    if not words:
        return []
    chances = _log_softmax(tags)
    path = best_tags(chances)
    sure, held = np.exp(chances), np.exp(_log_softmax(statuses))
    found, at = [], 0
    while at < len(path):
        if path[at] == OUTSIDE:
            at += 1
            continue
        key = (int(path[at]) - 1) // 2
        end = at + 1
        while end < len(path) and path[end] == 2 + 2 * key:
            end += 1
        status = held[at:end].mean(axis=0)
        # Whether a word opens the span or goes on is its extent; both say the key.
        keyed = sure[at:end, 1 + 2 * key] + sure[at:end, 2 + 2 * key]
        confidence = float(keyed.mean() * status.max())
        found.append(
            Span(
                words[at][0],
                words[end - 1][1],
                KEYS[key],
                STATUSES[int(status.argmax())],
                confidence,
            )
        )
        at = end
    return found


def _log_softmax(scores: Floats) -> Floats:
    shifted = scores - scores.max(axis=-1, keepdims=True)
    normalised: Floats = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return normalised
