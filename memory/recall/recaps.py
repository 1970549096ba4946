"""Whether a message asks what was talked about before: a recap of a talk. Pure.

`recaps.npz`, written by `scripts/fit_recaps.py`, tells the chance from a message's vector and its
wording; it fits the embedder whose fingerprint it names. With any other the wording alone decides,
which knows few of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from memory.recall.wording import shipped
from memory.text.words import normalise

FILE: Final = Path(__file__).with_name("recaps.npz")
LIKELY: Final = 0.4
"""From this chance on a message is taken to ask for a recap."""
RECAP: Final = "recap"
"""The name of a recap among what a message asks for."""
MAX_CHARS: Final = 400
"""So much of a message is read."""
_ASKED: Final = re.compile(
    r"\bwhat (?:did|have|had|were|are) (?:we|you and i|i and you) (?:\w+ )?"
    r"(?:talk(?:ed|ing)?|discuss(?:ed|ing)?|spe?aking|spoken?|chat(?:ted|ting)?)\b"
    r"|\bwhat was our (?:last )?(?:talk|chat|conversation|discussion)\b"
    r"|\bwhere did we (?:leave|left) off\b|\bwhat did we (?:say|decide|go over|cover|agree)\b"
    r"|\b(?:recap|summari[sz]e|sum up|summary of)\b.*"
    r"\b(?:chats?|conversations?|talks?|discussions?|we (?:said|talked|discussed|spoke))\b"
    r"|\b(?:fass|fasse|zusammenfassung)\b.*\b(?:gespräch\w*|chats?|unterhaltung\w*)\b"
    r"|\bworüber wir\b.*\b(?:gesprochen|geredet|gechattet)\b"
    r"|\bwo waren wir (?:stehen ?)?geblieben\b"
    r"|\b(?:resumen?|resume|resuma|resúmeme|resumir)\b.*"
    r"\b(?:charlas?|conversaci[oó]n(?:es)?|conversas?|hablamos|falamos)\b"
    r"|\b(?:en qué quedamos|dónde lo dejamos|onde (?:é que )?paramos)\b"
    r"|\b(?:подытожь|резюмируй|перескажи|кратко)\b.*\b(?:разговор\w*|беседу|переписку|говорили)\b"
    r"|\bна ч[её]м мы (?:\w+ )?остановились\b"
    r"|\b(?:was|worüber|wovon) (?:haben|hatten) wir\b.*"
    r"\b(?:gesprochen|geredet|besprochen|diskutiert)\b"
    r"|\b(?:worüber|wovon) (?:sprachen|redeten) wir\b|\bworum ging es\b"
    r"|\b(?:de|sobre) qué (?:hablamos|charlamos|conversamos|(?:hemos|habíamos) hablado)\b"
    r"|\bqué (?:discutimos|hablamos|comentamos|(?:hemos|habíamos) (?:hablado|discutido))\b"
    r"|\b(?:sobre|de) (?:o )?qu[eê] (?:é que )?(?:nós )?"
    r"(?:falamos|falámos|conversamos|discutimos)\b"
    r"|\bo que (?:é que )?(?:nós )?(?:falamos|falámos|conversamos|discutimos)\b"
    r"|\bо ч[её]м мы (?:\w+ )?(?:говорили|разговаривали|беседовали|общались)\b"
    r"|\bчто мы (?:\w+ )?обсуждали\b"
)


def recap_chance(fingerprint: str, vectors: Sequence[Sequence[float]], text: str) -> float:
    """Return the chance that a message asks for a recap; 1 or 0 by its wording alone.

    `vectors`: of the message, piece by piece, as the embedder of the fingerprint made them.
    """
    by_wording = words_ask_for_recap(text)
    known = shipped(FILE)
    if vectors and fingerprint == known.fingerprint:
        return known.of(vectors, by_wording=by_wording)
    return float(by_wording)


def words_ask_for_recap(text: str) -> bool:
    """Tell by the wording alone whether a text asks what was talked about.

    In English, German, Spanish, Portuguese and Russian.
    """
    return bool(_ASKED.search(normalise(text[:MAX_CHARS])))
