"""How the speaker is reached and served: contact data, time zone, budget, replies, belongings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from memory.facts.reading.rules.clauses import Clause
from memory.facts.reading.rules.found import I_AM, Found, rule
from memory.facts.reading.rules.lexicon import LANGUAGES
from memory.facts.reading.rules.phrases import noun

_EMAIL = rule(
    r"(?:my )?(?:e-?mail(?: address)?)(?:'?s| is|:)\s+(?P<value>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
)
_PHONE = rule(
    r"(?:my )?(?:(?:phone|mobile|cell|whatsapp)(?: number)?|number)(?:'?s| is|:)\s+(?P<value>\+?\d[\d ()/-]{5,18}\d)"
)
_ALSO_PHONE = re.compile(
    r"\band (?:my )?(?:phone|mobile|cell)(?: number)?(?:'?s| is|:)\s+(?P<value>\+?\d[\d ()/-]{5,18}\d)",
    re.IGNORECASE,
)
_ZONE = rule(
    r"(?:i'?m (?:on|in)|my time ?zone(?:'?s| is)|i am (?:on|in))\s+(?P<value>(?:UTC|GMT)(?:\s*[+-]\s*\d{1,2}(?::\d\d)?)?|CES?T|EES?T|WES?T|E[SD]T|P[SD]T|C[SD]T|M[SD]T|BST|IST|JST|AES?T|[A-Z][a-z]+/[A-Z][a-z_]+)\b"
)
_BUDGET = rule(
    r"(?:my |our |the |new |my new )?(?:max(?:imum)? )?budget(?:'?s| is|:)\s+(?:now\s+)?(?:around |about |max(?:imum)? |up to |roughly )?(?P<value>(?:[€$£]\s?)?\d[\d.,]*k?(?:\s?(?:euros?|eur|€|dollars?|usd|\$|pounds?|gbp|£|bucks|quid))?)(?![\w%])"
)
_FREE = rule(
    rf"{I_AM}\s+(?:only\s+)?(?:available|free)\s+(?:only\s+)?(?:on\s+)?(?P<value>(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends|weekdays|mornings|evenings|afternoons)(?:\s+(?:and|or|to)\s+\w+(?:days?|ends|ings))?)(?!\s+\d)"
)
_LANGUAGE = re.compile(
    r"(?:^|.*\b(?:pls|please|can you|can u|could you|always|you can|u can)\s+)(?:pls |please )?(?:reply|answer|respond|write|speak|text|talk)(?: back)?(?: (?:to )?me)?(?: only| always)? in (?P<value>\w+)\b",
    re.IGNORECASE,
)
_STYLE = re.compile(
    r"(?:^|.*\b(?:pls|please|can you|can u|could you)\s+)(?:pls |please )?(?:keep|make)\s+(?:your|ur|the|all|it all)?\s*(?:answers?|replies|reply|messages?|responses?|texts?)\s+(?:more\s+|very\s+|really\s+)?(?P<value>short|brief|concise|simple|formal|informal|casual|detailed|long|friendly)\b",
    re.IGNORECASE,
)
_DRIVE = rule(r"(?:i|we)\s+(?:still |also )?(?:drive|own|ride)\s+(?:an?|my own|our own)\s+")
_BOUGHT = rule(
    r"i(?:'?ve| have)?\s+(?:just |recently |finally )?bought\s+an?\s+(?=(?:\w+\s+){0,2}(?:car|house|flat|apartment|bike|motorbike|boat|van|ebike|e-bike|piano|guitar)\b)"
)
_SOLD = rule(
    r"(?:(?:i|we)(?:'?ve| have)?\s+)?(?:just |finally )?(?:sold|got rid of|crashed|totalled|scrapped)\s+(?:(?:my|our|the)\s+(?:old\s+)?)"
)
_TO_WORK: Final = frozenset(["bit", "hard", "lot", "bargain", "business", "company"])


def read(clause: Clause) -> Iterator[Found]:
    """Yield how to reach and to answer the speaker, and what they own."""
    for key, pattern in (
        ("email", _EMAIL),
        ("phone", _PHONE),
        ("timezone", _ZONE),
        ("budget", _BUDGET),
        ("availability", _FREE),
    ):
        if match := pattern.match(clause.text):
            yield Found(key, match["value"].strip(" .,"))
    if _EMAIL.match(clause.text) and (match := _ALSO_PHONE.search(clause.text)):
        yield Found("phone", match["value"])
    if (match := _LANGUAGE.match(clause.own)) and match["value"].casefold() in LANGUAGES:
        yield Found("reply_language", match["value"])
    if match := _STYLE.match(clause.own):
        yield Found("reply_style", match["value"])
    yield from _belongings(clause.own)


def asks_for_replies(clause: Clause) -> bool:
    """Tell whether all that a clause asks for is a language or a style of replies."""
    is_language = _LANGUAGE.match(clause.own)
    if is_language and is_language["value"].casefold() in LANGUAGES:
        return is_language.end() == len(clause.own.rstrip())
    style = _STYLE.match(clause.own)
    return style is not None and style.end() == len(clause.own.rstrip())


def _belongings(own: str) -> Iterator[Found]:
    if match := _SOLD.match(own):
        if value := noun(own, match.end()):
            yield Found("possession", value, retracts=True)
    elif match := _DRIVE.match(own) or _BOUGHT.match(own):
        value = noun(own, match.end())
        if value and value.split()[0].casefold() not in _TO_WORK:
            yield Found("possession", value)
