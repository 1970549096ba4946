"""Facts as sentences, with the words they were read from. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from graph.models.offline.words import quote, shorten
from memory.recall.block import FactLine

_LIST_QUOTE_CHARS = 80  # in a list of everything, each quote is kept short
_VALUE_CHARS = 80

# By key: the sentence for one value, and for several where it differs.
_SENTENCES: Final[dict[str, tuple[str, str]]] = {
    "name": ("Your name is {}.", ""),
    "preferred_name": ("You like to be called {}.", ""),
    "pronouns": ("Your pronouns are {}.", ""),
    "age": ("You told me that your age is {}.", ""),
    "home": ("You live in {}.", ""),
    "origin": ("You are from {}.", ""),
    "employer": ("You work at {}.", ""),
    "language": ("You speak {}.", ""),
    "timezone": ("Your time zone is {}.", ""),
    "email": ("Your email address is {}.", ""),
    "phone": ("Your phone number is {}.", ""),
    "marital_status": ("Your marital status is {}.", ""),
    "child": ("Your child is {}.", "Your children are {}."),
    "possession": ("You have {}.", ""),
    "like": ("You like {}.", ""),
    "dislike": ("You do not like {}.", ""),
    "reply_language": ("You like to be answered in {}.", ""),
    "reply_style": ("How you like to be answered: {}.", ""),
    "allergy": ("You told me that you are allergic to {}.", ""),
    "diet": ("You told me that your diet is {}.", ""),
    "avoid": ("You told me that you avoid {}.", ""),
    "medical": ("You told me about your health: {}.", ""),
    "standing": ("You set this rule for me: {}.", "You set these rules for me: {}."),
}


def tell_facts(facts: Sequence[FactLine]) -> str:
    """Return the facts as sentences, one a key in the order given, each with what was said."""
    quoted: set[str] = set()
    return " ".join(_tell(group, quoted) for group in _by_key(facts))


def list_facts(facts: Sequence[FactLine]) -> str:
    """Return the facts as a list, one line a key."""
    quoted: set[str] = set()
    lines = [f"- {_tell(group, quoted, _LIST_QUOTE_CHARS)}" for group in _by_key(facts)]
    return "\n".join(["This is what you told me:", *lines])


def _by_key(facts: Sequence[FactLine]) -> list[list[FactLine]]:
    groups: dict[str, list[FactLine]] = {}
    for fact in facts:
        groups.setdefault(fact.key, []).append(fact)
    return list(groups.values())


def _tell(group: list[FactLine], quoted: set[str], limit: int = 160) -> str:
    one, many = _forms(group[0].key)
    values = list(dict.fromkeys(shorten(fact.value, _VALUE_CHARS).rstrip(".") for fact in group))
    sentence = (many if len(values) > 1 and many else one).format(_joined(values))
    said = [fact.said for fact in group if fact.said.strip() and fact.said not in quoted]
    quoted.update(said)
    if not said:
        return sentence
    return f"{sentence} (you said: {', '.join(quote(s, limit) for s in dict.fromkeys(said))})"


def _forms(key: str) -> tuple[str, str]:
    if key in _SENTENCES:
        return _SENTENCES[key]
    noun = (
        shorten(key.replace(":", " ").replace("_", " "), _VALUE_CHARS)
        .replace("{", "(")
        .replace("}", ")")
    )
    return f"Your {noun} is {{}}.", f"Your {noun}s are {{}}."


def _joined(values: list[str]) -> str:
    if len(values) == 1:
        return values[0]
    return f"{', '.join(values[:-1])} and {values[-1]}"
