"""What the words of a score mean, for people: said once where a receipt or a search is printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

MEANINGS: Final[Mapping[str, str]] = {
    "importance": "how much harm forgetting it would do",
    "confidence": "how sure it was read",
    "words": "the question's words in the fact",
    "pinned": "the owner pinned it",
    "lexical": "words in common with the question",
    "bm25": "words in common with the question, rare ones more",
    "covered": "the share of the question's words that it has",
    "dense": "closeness in meaning",
    "cosine": "closeness in meaning, before it is scaled",
    "late": "closeness piece by piece",
    "late_window": "closeness piece by piece of it and the lines beside it",
    "context": "what the lines beside it and its sitting add",
    "covered_window": "the question's words in it and the lines beside it",
    "around": "what its neighbours, up to two lines before and after, add",
    "sitting": "the best of its sitting: a run of lines with no gap above two hours",
    "asked_before": "a question like this one stands right before it",
    "speaker": "who said it",
    "speaker_named": "the question names who said it",
    "by_asker": "who asks said it",
    "of_another": "somebody else speaks of themself",
    "agent_asked": "the agent said it, and is asked for",
    "time": "when it was said, and whether it tells a time",
    "tells_time": "a time is asked for, and it tells one",
    "recency": "how new it is",
    "attended": "how well it answers, read beside the question",
    "later": "it came later than what fits best, about the same",
    "follows": "it came later than what fits best, about the same",
    "follows_now": "it came later, and what is true now is asked for",
    "used": "how often and how lately answers used it",
    "dated": "it is of the time that the question names",
    "form": "it only asks",
    "asks": "it only asks",
    "facts": "it tells the kind of thing that is asked for",
    "kind_asked": "it tells the kind of thing that is asked for",
    "reranked": "the place that a model gave it",
    "told": "what a message quoted, in the quote's own words",
}

ORDER: Final = (
    "A score counts only among its own kind: facts come before messages, and first those that could"
    " harm when they are missed."
)


def score_words(names: Iterable[str]) -> str:
    """Return in one line what these parts of scores mean; empty where none of them is known."""
    told = dict.fromkeys(name for name in names if name in MEANINGS)
    if not told:
        return ""
    return "; ".join(f"{name}: {MEANINGS[name]}" for name in told) + "."
