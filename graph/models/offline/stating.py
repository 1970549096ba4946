"""Messages that tell something of who writes them, by their form: "I hate cilantro". Pure.

No list of what can be told: only who is spoken of first, and that nothing in it asks.
"""

from __future__ import annotations

from typing import Final

from graph.models.offline.glossed import in_english
from memory.text.glossing import shipped_glosses
from memory.text.words import normalise

_SKIPPED: Final = frozenset(
    """no wait yes yeah yep well so and but also oh ok okay hi hello hey actually btw anyway
    honestly sorry thanks ps fyi ugh hm hmm wow lol""".split()
)
"""What may stand before it."""
_SUBJECTS: Final = frozenset("i im ive ill id we weve".split())
_OWNERS: Final = frozenset(("my", "our"))
_VERBS: Final = frozenset(
    "is are was were has had s lives works likes loves hates plays studies".split()
)
_WITH_ME: Final = ["with", "me"]  # what a Russian has is "with me": "у меня есть кот"
_ASKING: Final = frozenset(
    """what whats where wheres who whos whom whose which when whens how hows why whether if or tell
    say said know knew remember remind forgot forget forgotten recall wonder wondering list show
    guess check look ask asking curious wanna want sure again idea memory please help""".split()
)
"""What may ask without a question mark: "I forgot my number", "I'm fifteen or sixteen"."""
_BY_ORDER: Final = frozenset(("en", "de"))
"""Languages whose questions put the verb first, or a word that asks."""


def states(text: str) -> bool:
    """Tell whether a message without a question mark tells something of who writes it."""
    if "?" in text:
        return False
    words = normalise(in_english(text)).split()
    while words and words[0] in _SKIPPED:
        del words[0]
    if len(words) <= 2 or not _ASKING.isdisjoint(words):
        return False
    if words[0] in _SUBJECTS or words[:2] == _WITH_ME:
        return True
    return words[0] in _OWNERS and not _VERBS.isdisjoint(words[2:-1])


def asks_nothing(text: str) -> bool:
    """Tell whether it states, in a language where that is no question: "tengo hijos" may be one."""
    return shipped_glosses().language_of(text) in _BY_ORDER and states(text)
