"""Where a sentence falls apart into clauses that each stand alone. Pure.

Only before words of one's own ("and I live", "pero vivo"), and not where one clause hangs on
another, or on whose words they are: "if I get it, I move" is one. In doubt a sentence stays whole.
In English, German, Spanish, Portuguese and Russian.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

_AND: Final = "and|but|und|aber|y|e|pero|mas|и|а|но"
_OWN: Final = (
    r"i(?:['’]\w{1,2})?|we(?:['’]\w{1,2})?|my|our|ich|wir|mein\w{0,2}|unser\w{0,2}"
    "|yo|mis?|tengo|soy|vivo|vivimos|estoy|trabajo|hablo|nací|me llamo"
    "|eu|meus?|minhas?|tenho|sou|moro|estou|trabalho|falo|nasci|me chamo"
    "|я|мы|мне|меня|мой|моя|моё|мои|наш|наша"
)
_BLANK: Final = r"[^\S\n]{1,3}"
_JOINT: Final = re.compile(
    rf"(?:[,;]{_BLANK}(?:(?:{_AND}){_BLANK})?|{_BLANK}[-–—]{_BLANK}|{_BLANK}(?:{_AND}){_BLANK})"
    rf"(?=(?:{_OWN})(?!\w))",
    re.IGNORECASE,
)
_HANGING: Final = re.compile(
    r"[?\"“”„«»]|(?<!\w)(?:if|unless|when|while|because|since|although|though|until|once|that"
    r"|sa(?:id|ys?)|tells?|told|thinks?|thought|believes?|wish|pretend\w*|imagine"
    r"|wenn|falls|weil|als|obwohl|bis|damit|dass|sag(?:t|te|en)|meint|glaub\w*|denk\w*"
    r"|si|cuando|porque|aunque|hasta|que|dice|dijo|cree"
    r"|se|quando|embora|até|diz|disse|acha"
    r"|если|когда|потому|хотя|пока|чтобы|что|говор\w*|сказал\w*|дума\w*|считает)(?!\w)",
    re.IGNORECASE,
)
_END: Final = ".!…\"') \t\r\n\u00a0"


def clauses(sentence: str) -> list[str]:
    """Return the clauses of a sentence, each after the first with what joins it.

    Together they are the sentence; one that cannot be cut safely is a single clause.
    """
    if _HANGING.search(sentence):
        return [sentence]
    starts = [found.start() for found in _JOINT.finditer(sentence)]
    return [sentence[begin:end] for begin, end in pairwise([0, *starts, len(sentence)])]


def standing_alone(clause: str) -> str:
    """Return a clause without what joins it to one before, and without its end."""
    joint = _JOINT.match(clause)
    return (clause[joint.end() :] if joint else clause).rstrip(_END).lstrip()


def end_of(sentence: str) -> str:
    """Return the marks and blanks that a sentence ends with."""
    return sentence[len(sentence.rstrip(_END)) :]
