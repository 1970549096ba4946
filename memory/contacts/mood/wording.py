"""What a text's words and marks say about its mood. Pure."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

TRAITS: Final = ("asks", "exclaims", "shouts", "trails_off", "ends_asking", "length")
"""Names of the traits, in the order of `traits_of`."""

_MOST: Final = 3
_LONG: Final = 30
_MASK: Final = re.compile(r"\[(?:NAME|RELIGION)\]")
_TOKEN: Final = re.compile(
    r"[^\W\d_]+(?:'[^\W\d_]+)*|[!?]+|[:;=]['-]?[)(DPpOo/\\|]+|[\U0001F300-\U0001FAFF☀-➿]"
)
_SHOUTED: Final = re.compile(r"(?<!\w)[^\W\d_a-z]{3,}(?!\w)")
_NEGATIONS: Final = frozenset(
    "not no never don't doesn't didn't isn't wasn't can't cannot won't".split()
)


def words_of(text: str) -> list[str]:
    """Return the words, marks, smileys and emoji of a text, each once, in order.

    A word after a negation stands there a second time as `not_<word>`. Masks of names that
    published corpora carry (`[NAME]`) are left out.
    """
    found = [_plain(one) for one in _TOKEN.findall(_MASK.sub(" ", text).replace("’", "'"))]
    negated = [f"not_{after}" for one, after in pairwise(found) if one in _NEGATIONS]
    return list(dict.fromkeys(found + negated))


def traits_of(text: str) -> tuple[float, ...]:
    """Return the traits of a text, each 0 to 1: marks, capitals, length."""
    bare = _MASK.sub(" ", text)
    shouted = [one for one in _SHOUTED.findall(bare) if one.isupper()]
    return (
        min(bare.count("?"), _MOST) / _MOST,
        min(bare.count("!"), _MOST) / _MOST,
        min(len(shouted), _MOST) / _MOST,
        float("..." in bare or "…" in bare),
        float(bare.strip().endswith("?")),
        min(len(bare.split()), _LONG) / _LONG,
    )


def _plain(token: str) -> str:
    # `!!!!` and `!!!!!!` are one mark; one alone is another.
    return token[:2] if token[0] in "!?" else token.lower()
