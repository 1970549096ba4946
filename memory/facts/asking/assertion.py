"""Whether a message asserts a value, of its sender and as it is. Pure.

Precision before recall, as in the rules: what only may be so is none.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from memory.domain.answers import SPEAKER, Candidate, Reason
from memory.facts.reading.holders import PEOPLE_KEYS, relation_of
from memory.facts.reading.rules.clauses import Clause, clauses

_RELATIVES: Final = PEOPLE_KEYS | {"pet"}
# Of these a negation is part of what is stated: "I don't eat pork".
_MAY_BE_NEGATED: Final = frozenset(
    {"dislike", "avoid", "diet", "medical", "availability", "reply_style", "standing"}
)
_NEGATION: Final = re.compile(
    r"\b(?:not|no|never|neither|nor|without|cannot|isn't|aren't|wasn't|\w+n't|nicht|kein\w*|nie|"
    r"niemals|nunca|jamás|ni|sin|não|nem|sem|jamais|ne|pas|не|нет|никогда|без)\b",
    re.IGNORECASE,
)
# What one cannot have says as much as what one is allergic to.
_UNABLE: Final = re.compile(
    r"\b(?:can't|can not|cannot|mustn't|must not|no pued[oe]|não poss?o|não pode|не могу|не может|"
    r"(?:darf|kann|vertrage|verträgt)\b[^,;]{0,40}?\b(?:nicht|kein\w*))",
    re.IGNORECASE,
)
# Tastes, names and rules are asked for as they are stated: "call me Bob", "I'd like ...".
_MAY_BE_WISHED: Final = frozenset(
    {"like", "dislike", "name", "preferred_name", "reply_language", "reply_style", "standing"}
)
_WISH: Final = re.compile(
    r"\b(?:i(?:'d| would) (?:love|like|rather|prefer)|i(?:'ll| will)|ich will|"
    r"i (?:want|wanna|hope|plan|wish|might|may|could|would)|(?:planning|hoping|going|about) to|"
    r"gonna|möchte\w*|würde\w*|hoffe\w*|quiero|quisiera|querría|espero|voy a|gostaria|queria|quero|"
    r"vou|хочу|хотел\w*|надеюсь|собираюсь)\b",
    re.IGNORECASE,
)
_OTHERS: Final = re.compile(
    r"\W*(?:(?:he|she|they|er|él|ella|ellos|ele|ela|eles|он|она|они)\b|"
    r"(?:my|our|meine?|unsere?|mi|mis|meu|minha|nosso|nossa|мой|моя|у моего|у моей)\s+"
    r"(?P<noun>[^\W\d_]+)(?!\s+(?:and|&|und|y|e|и)\s+(?:i|me|ich|yo|eu|я)\b))",
    re.IGNORECASE,
)
_BLANKS: Final = re.compile(r"\s+")


def unsaid(candidate: Candidate, value: str, text: str) -> Reason | None:
    """Return why no clause of a text states a candidate's value; None where one does.

    `text` as it was written: its lines tell what is quoted.
    """
    wanted = re.compile(rf"(?<!\w){re.escape(value)}(?!\w)", re.IGNORECASE)
    stated = [
        clause.text[: found.start()]
        for clause in _clauses_of(text)
        for found in wanted.finditer(plain(clause.text))
        if found.start() < clause.end
    ]
    if not stated:
        return "not_asserted"
    if candidate.whose == SPEAKER:
        stated = [before for before in stated if not _is_of_others(candidate.key, before)]
        if not stated:
            return "holder"
    if candidate.status != "stated":
        return None
    if candidate.key not in _MAY_BE_WISHED and all(_WISH.search(before) for before in stated):
        return "wished"
    if candidate.key in _MAY_BE_NEGATED:
        return None
    if candidate.key == "allergy":
        stated = [_UNABLE.sub("", before) for before in stated]
    return "negated" if all(_NEGATION.search(before) for before in stated) else None


def _is_of_others(key: str, before: str) -> bool:
    """Tell whether a clause begins with somebody else, as far as that shows: he, my brother."""
    begun = _OTHERS.match(before)
    if begun is None:
        return False
    noun = begun["noun"]
    return noun is None or (bool(relation_of(noun)) and key not in _RELATIVES)


@lru_cache(maxsize=8)  # an answer lists many facts of one message
def _clauses_of(text: str) -> tuple[Clause, ...]:
    return tuple(clauses(text))


def plain(text: str) -> str:
    """Return a text with one kind of blanks and apostrophes, as clauses have them."""
    return _BLANKS.sub(" ", text.replace("’", "'").replace("‘", "'"))
