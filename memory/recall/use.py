"""Which of the lines that a model was shown its answer used: an estimate, by their words. Pure.

A line counts as used where most of the rarer words that it has, or that the answer has, are the
same. Words of the question speak little for it, names and numbers much. Whoever only knows in which
words it was told before does not see through another wording, or another language.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from memory.domain.recalls import Used, UsedKind
from memory.text.words import content_stems

LEAST: Final = 0.35
"""From this share on a line counts as used: see `docs/retrieval.md`."""
_OF_QUESTION: Final = 0.25
_NAMED: Final = 2.0
"""What a name or a number weighs beside another word."""

_NAMES: Final = re.compile(r"\w*\d\w*|(?<=[^\W_] )[^\W\d_a-zà-ÿа-яё][\w'’-]+")


def used_lines(
    reply: str, question: str, shown: Sequence[tuple[UsedKind, str, str]]
) -> tuple[Used, ...]:
    """Return what an answer used of what was shown: (kind, id, text), in its order."""
    said, asked = content_stems(reply), content_stems(question)
    texts = [content_stems(text) for _, _, text in shown]
    spread = Counter(word for text in texts for word in text)
    named = content_stems(" ".join(_NAMES.findall(reply)))

    def weight(word: str) -> float:
        # As idf does, so that what stands in every line says little of one.
        rare = math.log(1 + (1 + len(texts)) / (1 + spread[word]))
        rare *= _NAMED if word in named else 1.0
        return rare * (_OF_QUESTION if word in asked else 1.0)

    of_reply = sum(map(weight, said))

    def share(text: frozenset[str]) -> float:
        common = said & text
        if not common:
            return 0.0
        least = min(of_reply, sum(map(weight, text)))
        return sum(map(weight, common)) / least if least else 0.0

    found = [
        Used(kind, key, share(text)) for (kind, key, _), text in zip(shown, texts, strict=True)
    ]
    return tuple(each for each in found if each.share >= LEAST)
