"""In which language a message is answered: that of its closed-class words, and of its others. Pure.

Messages of other languages than those of the table are answered in English: French and Italian are
told from Spanish and Portuguese for that alone.
"""

from __future__ import annotations

from typing import Final

from memory.minilm.glossing import shipped_glosses
from memory.text.languages import is_russian, plain_of, weights_of, words_in

ENGLISH: Final = "en"
SPOKEN: Final = (ENGLISH, "de", "es", "pt", "ru")
"""Languages that there are phrases for."""
_BY_GLOSSES: Final = 0.75
"""What the word lists' verdict counts, in closed-class words: it decides where these are few."""


def language_of(text: str) -> str:
    """Return the language that a message is answered in; English where it is open."""
    plain = plain_of(text)
    if is_russian(plain):
        return "ru"
    weights = weights_of(plain)
    if len(words_in(plain)) > 1:
        weights[shipped_glosses().language_of(plain)] += _BY_GLOSSES
    # English comes first in the table, so that it wins where nothing speaks against it.
    best = max(weights, key=lambda name: weights[name])
    return best if best in SPOKEN else ENGLISH
