"""What the speaker likes: likes, dislikes, favourites."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from memory.facts.reading.rules.clauses import Clause
from memory.facts.reading.rules.found import I_AM, IMPLIED, STATED, Found, rule
from memory.facts.reading.rules.phrases import noun, nouns

_VERY: Final = r"(?:(?:really|absolutely|totally|just|also|still|actually|truly|do|so|honestly|kinda|quite)\s+)*"
_LIKE = rule(
    rf"i\s+{_VERY}(?:lo+ve|l+u+v+|like|enjoy|adore|prefer)\s+|{I_AM}\s+(?:{_VERY})(?:into|fond of|keen on)\s+|"
    rf"{I_AM}\s+(?:an?\s+)?(?:(?:big|huge|massive|real)\s+)?(?:fan of|lover of)\s+"
)
_DISLIKE = rule(
    rf"i\s+{_VERY}(?:(?:don'?t|do not|never|dont)\s+{_VERY}(?:like|enjoy|love)|dislike|hate|detest|loathe|despise|"
    rf"(?:can'?t|cannot|cant)\s+stand)\s+|{I_AM}\s+not\s+{_VERY}(?:into|fond of|keen on|a (?:big )?fan of)\s+"
)
_NO_MORE = rule(
    r"i no longer (?:like|love|enjoy)\s+|i used to (?:like|love|enjoy)\s+|i stopped liking\s+"
)
_FAVORITE = re.compile(
    r"my\s+(?:absolute\s+|all[ -]time\s+)?(?:favou?rite|fave?)\s+(?P<noun>[^\W\d_]+(?:\s[^\W\d_]+)?)(?:'s|\s+is|\s+has to be|\s+would be)\s+(?:still\s+|now\s+|definitely\s+|probably\s+)?",
    re.IGNORECASE,
)
_IS_FAVORITE = rule(
    r"(?P<value>[^\W_][\w' -]{1,30}?)\s+(?:is|are)\s+my\s+(?:absolute\s+|all[ -]time\s+)?(?:favou?rite|fave?)\s+(?P<noun>[^\W\d_]+(?:\s[^\W\d_]+)?)\s*$"
)
_DETERMINED = re.compile(
    r"(?:the|your|ur|my|his|her|our|their|this|that|these|those|it|a|an)\b(?!\s+(?:sea|ocean|beach|mountains|"
    r"outdoors|countryside|rain|sun|cold|heat|beatles|theatre|theater|gym)\b)",
    re.IGNORECASE,
)
_VAGUE: Final = frozenset(
    ["thing", "things", "part", "one", "bit", "is", "was", "people", "person"]
)


def read(clause: Clause) -> Iterator[Found]:
    """Yield tastes; none where the message sounds ironic."""
    if clause.is_sarcastic:
        return
    text = clause.text
    if match := _DISLIKE.match(text):
        for value in _things(text, match.end()):
            yield Found("like", value, retracts=True)
            yield Found("dislike", value)
    elif match := _NO_MORE.match(text):
        for value in _things(text, match.end()):
            yield Found("like", value, retracts=True)
    elif match := _LIKE.match(text):
        if re.match(r"[^,.;]*\b(?:any ?more)\b", text):
            return
        for value in _things(text, match.end()):
            yield Found("dislike", value, retracts=True)
            yield Found("like", value, STATED)
    elif match := _FAVORITE.match(clause.own):
        value = noun(text, match.end())
        if value and match["noun"].casefold() not in _VAGUE:
            yield Found(f"favorite:{match['noun'].lower()}", value)
    elif (match := _IS_FAVORITE.match(clause.own)) and match["noun"].casefold() not in _VAGUE:
        value = noun(match["value"], 0)
        if value == match["value"]:
            yield Found(f"favorite:{match['noun'].lower()}", value, IMPLIED)


def _things(text: str, start: int) -> Iterator[str]:
    if not _DETERMINED.match(text, start):
        yield from nouns(text, start)
