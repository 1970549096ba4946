"""The closed vocabulary of facts (L2): which keys exist, which accumulate, how much they matter."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory.domain.facts import Category, Fact

FAVORITE_PREFIX = "favorite:"
PREFERENCE_PREFIX = "preference:"
STANDING = "standing"
"""The key of facts that are instructions where they are the owner's."""

MAY_HARM = frozenset({"allergy", "medical", "diet", "avoid"})
"""Keys whose facts may harm somebody when they are missed or forgotten."""

_NOUN = re.compile(r"[^\W_][\w' -]{0,39}")


@dataclass(frozen=True, slots=True)
class Predicate:
    """One kind of fact. `importance` is the default of its observations, in 0..1."""

    category: Category
    key: str
    accumulates: bool
    importance: float


def _predicates() -> dict[str, Predicate]:
    rows: tuple[tuple[Category, float, str], ...] = (
        ("identity", 0.95, "name preferred_name"),
        ("identity", 0.85, "home spouse partner pronouns"),
        ("identity", 0.8, "child+ pet+ occupation birthday"),
        ("identity", 0.7, "origin employer age parent+ sibling+ school nationality language+"),
        ("identity", 0.6, "marital_status timezone email phone"),
        ("identity", 0.4, "friend+ possession+"),
        ("preference", 0.8, "reply_language reply_style"),
        ("preference", 0.4, "like+ dislike+"),
        ("constraint", 1.0, "allergy+"),
        ("constraint", 0.95, "medical+"),
        ("constraint", 0.9, "diet+"),
        ("constraint", 0.8, "avoid+"),
        ("constraint", 0.6, "budget availability"),
        ("instruction", 0.9, "standing+"),
    )
    return {
        name.rstrip("+"): Predicate(category, name.rstrip("+"), name.endswith("+"), importance)
        for category, importance, names in rows
        for name in names.split()
    }


# Source: SPEC L2. Importances rank by the harm of forgetting: health first, taste last. Tastes,
# possessions and friends lie below the 0.5 from which a fact is always shown (L4): people have
# hundreds of them, and they help only where they fit what is asked.
PREDICATES = _predicates()
_NOUN_IMPORTANCES = {FAVORITE_PREFIX: 0.45, PREFERENCE_PREFIX: 0.45}


def predicate(key: str) -> Predicate | None:
    """Return the predicate of a key; None when the vocabulary does not have it.

    `favorite:<noun>` and `preference:<noun>` hold one value for each noun.
    """
    for prefix, importance in _NOUN_IMPORTANCES.items():
        if key.startswith(prefix):
            noun = key.removeprefix(prefix)
            if noun != noun.lower() or not _NOUN.fullmatch(noun):
                return None
            return Predicate("preference", key, accumulates=False, importance=importance)
    return PREDICATES.get(key)


def key_in_words(key: str) -> str:
    """Return a key as people read it: `favorite:color` is "favorite color".

    A claim's, which names whom it is about, keeps its colon: "Priya (wife): employer".
    """
    return re.sub(r":(?! )|_", " ", key)


def fact_sentence(fact: Fact) -> str:
    """Return a fact as one short line for the prompt and the embedder: `favorite color: navy`."""
    return f"{key_in_words(fact.key)}: {fact.value}"
