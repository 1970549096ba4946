"""What the speaker does: occupation, employer, school."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory.facts.reading.rules.clauses import Clause
from memory.facts.reading.rules.found import I_AM, IMPLIED, STATED, SURELY, Found, rule
from memory.facts.reading.rules.lexicon import TRADES
from memory.facts.reading.rules.phrases import noun

_I_AM_A = rule(
    rf"{I_AM}{SURELY}\s+(?:an?|the)\s+|i(?:'?ve| have) (?:become|been) an?\s+|i became an?\s+"
)
_WORK_AS = rule(
    rf"(?:i{SURELY}\s+work|{I_AM}{SURELY}\s+working|i got a job)\s+as\s+(?:an?\s+)?|my (?:job|profession|occupation)(?:'?s| is)\s+(?:an?\s+)?"
)
_NOT_A = rule(
    rf"{I_AM}\s+(?:not an?|no longer an?)\s+|i (?:stopped|quit) (?:working as|being) an?\s+"
)
_AT = re.compile(r"\s+(?:at|for|with)\s+", re.IGNORECASE)
_WORK_AT = rule(
    rf"i{SURELY}\s+work\s+(?:full[ -]time |part[ -]time )?(?:at|for)\s+|{I_AM}{SURELY}\s+working\s+(?:at|for)\s+|"
    r"(?:i(?:'?ve| have)?\s+)?(?:(?:just|recently|finally)\s+)*(?:started(?: (?:working|a (?:new )?job))?(?: at| with)|"
    r"joined|got (?:a|the|my) (?:new )?job (?:at|with)|got hired (?:at|by))\s+|my (?:employer|company) is\s+"
)
_AT_NOW = rule(rf"{I_AM}{SURELY}\s+at\s+(?=[\w' -]+\bnow\b|[A-Z])")
_NOT_AT = rule(
    r"(?:i(?:'?ve| have)?\s+)?(?:(?:just|recently|finally)\s+)*(?:left|quit|resigned from)\s+(?:my job at\s+|my job with\s+)?|"
    r"i (?:don'?t|do not|no longer) work (?:at|for)\s+|i(?:'?ve| have)? ?(?:was|got|been) (?:fired|laid off|let go) (?:from|by)\s+|"
    r"i used to work (?:at|for)\s+|i stopped working (?:at|for)\s+"
)
_JOBLESS = rule(
    r"(?:i(?:'?ve| have)?\s+)?(?:just |recently |finally )?(?:(?:quit|left|lost) my (?:old )?job|"
    r"(?:got|was|been) (?:fired|laid off|made redundant)|retired)\b|i'?m (?:unemployed|jobless|between jobs|retired)\b"
)
_STUDY = rule(
    rf"(?:i{SURELY}\s+(?:study|go to school|go to uni)|{I_AM}{SURELY}\s+studying)\s+(?:[\w ]+?\s+)?at\s+(?:the\s+)?|i go to\s+(?=[\w' ]*\b(?:university|college|school|academy)\b)(?:the\s+)?"
)
_PRIVATE = frozenset(
    """work home night nights moment office school university airport hospital""".split()
)


# "I've been at it for twenty years."
_TIME = re.compile(r"\b(?:year|month|week|day|hour)s?$", re.IGNORECASE)


def _company(text: str, start: int) -> str:
    """Return the name of a company; empty for `a bank`, `my uncle`, `home`."""
    if re.match(r"(?:an?|my|our|your|this|that|his|her|one|some)\s", text[start:], re.IGNORECASE):
        return ""
    the = re.match(r"the\s+(?=[A-Z])", text[start:])
    if not the and re.match(r"the\s", text[start:], re.IGNORECASE):
        return ""
    value = noun(text, start)
    # An institution's name goes on after `of` and `in`; anything longer is not a name.
    if not re.match(r"[^\W\d_]|\d+[A-Za-z]", value) or _TIME.search(value):
        return ""
    return "" if value.split()[0].casefold() in _PRIVATE else value


def _trade(value: str) -> str:
    return value if value and value.split()[-1].casefold() in TRADES else ""


def read(clause: Clause) -> Iterator[Found]:
    """Yield the speaker's work: what, for whom, and what ended."""
    own = clause.own
    for pattern, checked in ((_WORK_AS, False), (_I_AM_A, True)):
        if (match := pattern.match(own)) and (value := noun(own, match.end())):
            if not checked or _trade(value):
                yield Found("occupation", value)
                yield from _workplace(own, own.find(value, match.end()) + len(value))
            break
    if (match := _NOT_A.match(own)) and (value := _trade(noun(own, match.end()))):
        yield Found("occupation", value, retracts=True)
    yield from _employers(clause)
    if (match := _STUDY.match(own)) and (value := _school(own, match.end())):
        yield Found("school", value)


def _employers(clause: Clause) -> Iterator[Found]:
    own = clause.own
    if _JOBLESS.match(own):
        yield Found("employer", retracts=True)
        if "retired" in own.casefold() or "jobless" in own.casefold():
            yield Found("occupation", retracts=True)
    elif match := _NOT_AT.match(own):
        if value := _company(own, match.end()):
            yield Found("employer", value, retracts=True)
    elif match := _WORK_AT.match(own):
        if value := _company(own, match.end()):
            yield Found("employer", value)
    elif (match := _AT_NOW.match(own)) and re.search(
        r"\b(?:job|work|boss|team|still an?)\b|\bnow\b", own
    ):
        value = _company(own, match.end())
        if value and re.search(r"\bnow\s*$", own):
            yield Found("employer", value, IMPLIED)


def _workplace(own: str, end: int) -> Iterator[Found]:
    if (match := _AT.match(own, end)) and (value := _company(own, match.end())):
        yield Found("employer", value, STATED)


def _school(own: str, start: int) -> str:
    value = noun(own, start)
    return "" if value.casefold() in _PRIVATE else value
