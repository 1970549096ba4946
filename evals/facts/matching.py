"""Does a stored fact say what a pattern asks for? Pure."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from evals.facts.cases import ANY, Pattern
from memory.domain.facts import Fact

WORDS_AROUND: Final = 3
"""So many words may stand around an accepted form within a stored value."""

ARTICLES: Final = {
    "en": frozenset({"a", "an", "the"}),
    "de": frozenset("der die das den dem des ein eine einen einem einer eines".split()),
    "es": frozenset({"el", "la", "los", "las", "un", "una", "unos", "unas"}),
    "pt": frozenset({"o", "a", "os", "as", "um", "uma", "uns", "umas"}),
    "fr": frozenset({"le", "la", "les", "l", "un", "une", "des"}),
    "it": frozenset({"il", "lo", "la", "i", "gli", "le", "l", "un", "uno", "una"}),
}
_NEITHER_LETTER_NOR_DIGIT = re.compile(r"[\W_]+")


def matches(pattern: Pattern, fact: Fact, lang: str) -> bool:
    """Tell whether a fact of the pattern's contact is one that the pattern means.

    Category and key are equal, and an accepted form equals the stored value or stands in it as
    whole words with at most three words around it.
    """
    if pattern.category != fact.category or pattern.key not in (ANY, fact.key):
        return False
    return any(form == ANY or holds(fact.value, form, lang) for form in pattern.forms)


def holds(value: str, form: str, lang: str) -> bool:
    """Tell whether a stored value is an accepted form, or has it among few other words."""
    stored, wanted = words(value, lang), words(form, lang)
    spare = len(stored) - len(wanted)
    if not wanted or not 0 <= spare <= WORDS_AROUND:
        return False
    return any(stored[at : at + len(wanted)] == wanted for at in range(spare + 1))


def words(text: str, lang: str) -> list[str]:
    """Return a value's words in lower case, without the language's articles before them."""
    folded = unicodedata.normalize("NFC", text).casefold()
    found = _NEITHER_LETTER_NOR_DIGIT.sub(" ", folded).split()
    articles = ARTICLES.get(lang, frozenset())
    while len(found) > 1 and found[0] in articles:
        found = found[1:]
    return found
