"""In which language a message is answered: that of its closed-class words, and of its others. Pure.

Messages of other languages than those of the table are answered in English: French and Italian are
told from Spanish and Portuguese for that alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from memory.text.glossing import shipped_glosses
from memory.text.languages import is_russian, plain_of, weights_of, words_in
from memory.text.words import URL

ENGLISH: Final = "en"
SPOKEN: Final = (ENGLISH, "de", "es", "pt", "ru")
"""Languages that there are phrases for."""
_BY_GLOSSES: Final = 0.75
"""What the word lists' verdict counts, in closed-class words: it decides where these are few."""


# Words that are said alone, and that no list of closed-class words has.
_ALONE: Final = {
    **dict.fromkeys("ja nein genau moin servus tschüss doch jawohl".split(), "de"),
    **dict.fromkeys("adiós adios sí si vale perfecto exacto bueno".split(), "es"),
    **dict.fromkeys("sim tchau beleza perfeito valeu exato".split(), "pt"),
    **dict.fromkeys("yes bye yeah sure perfect goodbye".split(), ENGLISH),
}
_ANYWHERE: Final = frozenset("no claro ok okay super".split())
"""Said alone in several of the languages."""


_FOREIGN: Final = frozenset(
    "jak jest się nie czy gdzie kiedy kto kim moja mój moje mam mnie jestem"
    " het een ik mijn waar hoe niet heet hvor jeg hva hvem mitt hvad hvordan jag vad heter inte och"
    " jaké kde kdo jsem moje můj není benim nerede nedir hol vagyok mikor nem unde sunt".split()
)
"""Closed-class words of further languages: messages of these are answered in English."""
_FOREIGN_LETTERS: Final = re.compile(r"[ąćęłńśźżěřůčďťňőűåøæğışșț]")
_NAME_WITHIN: Final = re.compile(r"(?<=[\w,] )[^\W\d_a-zß-ÿ][^\W\d_]+")
_BY_LETTERS: Final = 1.5
"""What a word with a letter counts that none of the languages of the tables has."""


def language_of(text: str, earlier: Sequence[str] = ()) -> str:
    """Return the language that a message is answered in.

    Where it is open, that of the latest of the `earlier` lines that tells; at last English.
    """
    return next((told for line in (text, *earlier) if (told := _told(line))), ENGLISH)


def _told(text: str) -> str:
    """Return the language of a text; empty where it is open."""
    plain = plain_of(URL.sub(" ", text))
    if is_russian(plain):
        return "ru"
    words = words_in(plain)
    if len(words) == 1 and (words[0] in _ALONE or words[0] in _ANYWHERE):
        return _ALONE.get(words[0], "")
    weights = weights_of(plain)
    weights[""] = sum(
        max(word in _FOREIGN, _BY_LETTERS * bool(_FOREIGN_LETTERS.search(word))) for word in words
    )
    if len(words) > 1:
        # A name says nothing: Nina is "girl" in Spanish. German nouns have closed-class words.
        others = plain_of(_NAME_WITHIN.sub(" ", text))
        weights[shipped_glosses().language_of(others)] += _BY_GLOSSES
    # English comes first in the table, so that it wins where nothing speaks against it.
    best = max(weights, key=lambda name: weights[name])
    if not weights[best]:
        return ""
    return best if best in SPOKEN else ENGLISH
