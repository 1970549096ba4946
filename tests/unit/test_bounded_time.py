"""Every reader of a contact's text is done in bounded time, whatever the text.

Texts are runs of marks and near-matches: pairs of words out of each rule, again and again. All are
read at a small size; of the slowest ones the largest text that a channel brings is read.
"""

from __future__ import annotations

import gc
import pkgutil
import re
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from importlib import import_module
from itertools import pairwise
from types import ModuleType
from typing import NamedTuple

import pytest

from channels.exports.whatsapp import dates, lines, wording
from channels.markup import render
from graph.importing import topics
from graph.models.offline import kinds
from graph.models.offline.words import sentences, statements
from memory.contacts.mood import lexicon
from memory.contacts.mood.wording import traits_of, words_of
from memory.domain.episodes import Spoken
from memory.episodes import cues, features
from memory.episodes.summaries import clauses, marks, summarize
from memory.episodes.summaries import cues as summary_cues
from memory.facts.reading import rules
from memory.facts.reading.rules import others
from memory.policy import addressed
from memory.policy.commands import parse_command
from memory.policy.forgetting import MAX_CHARS, parse_forgetting
from memory.recall.relevance import naming
from memory.text.chunks import split_for_embedding
from memory.text.lexical import searchable
from memory.text.words import content_stems
from nodes.checks.input import check_input
from nodes.checks.output import check_output

LARGEST = 65_536
SMALL = 1_500
SLOWEST = 8
LIMIT_S = 1.0
"""Of processor time, so that a busy machine fails no test. On an idle one the slowest takes 0.2 s;
quadratic time at this size is 5 s at least."""

MARKS = """! . … ? 。 " ' “ „ « ( ) [ ] [[ ![ [a]( { < > <a & / // /a ` ``` * *a **a ~~a _a # \\ |
    |a , ; : - – = 1 1. 1- +1 a A ß İ é 日 日。 ¨ 😀 QUJD x@ a.b a@b.c a, a" 'a .a ?!
    ?" !) ].""".split()
BLANKS = [" ", "\t ", "\n", "\t", "\r\n", " \n", "\n\n", "\v", "\x1c", "\x85", "\xa0", "\u2028"]
ODD = ["\0", "\u0301", "\u0301\u0316", "\u200d", "\u202e", "\ud800", "\ufeff"]
WORDS = ["a b c, ", "my my ", "I am ", "I am not ", "i like a, ", "a, a and ", ", and ", "btw! "]
NESTED = [
    "```\n",
    "> ",
    "- ",
    "* a\n  ",
    "| a |\n",
    "1/1/26, 10:10 - ",
    "[1/1/26, ",
    "a: ",
    "http://",
]
UNITS = [*MARKS, *(f"{mark} " for mark in MARKS), *BLANKS, *ODD, *WORDS, *NESTED]


class Reader(NamedTuple):
    """What reads a text, and the modules whose rules it goes by."""

    read: Callable[[str], object]
    rules: Sequence[ModuleType] = ()


def _extract(text: str) -> object:
    said_at = datetime(2026, 1, 1, tzinfo=UTC)
    return rules.extract(text, source_uid="m", stated_at=said_at, anchor="contact:a")


def _of_others(text: str) -> object:
    ages = [others.age_behind(text, at) for at in range(0, min(len(text), 4_000), 40)]
    return ages, [_extract(clause.text) for clause in others.in_first_person(text)]


def _wish(text: str) -> object:
    # Longer ones are not read; a wish begins, or ends, with its verb.
    part = text[: MAX_CHARS - 20]
    verbs = ("forget", "vergiss", "olvida", "esquece", "забудь")
    return [
        parse_forgetting(each) for verb in verbs for each in (f"{verb} {part}", f"{part} {verb}")
    ]


FACTS = [
    import_module(f"{rules.__name__}.{found.name}")
    for found in pkgutil.iter_modules(rules.__path__)
]


def _summary(text: str) -> object:
    return summarize([Spoken("m1", "Ana", text, datetime(2026, 3, 2, tzinfo=UTC))])


READERS = {
    "chunks": Reader(split_for_embedding),
    "lexical": Reader(searchable),
    "facts": Reader(_extract, FACTS),
    "facts of others": Reader(_of_others, [others]),
    "addressed": Reader(addressed.is_addressed, [addressed]),
    "input": Reader(check_input),
    "output": Reader(lambda text: check_output(text, "persona " * 60, [], lambda _: False)),
    "commands": Reader(parse_command),
    "forgetting": Reader(_wish),
    "cues": Reader(cues.read_cues, [cues]),
    "topics": Reader(lambda text: (features.words_of(text), features.length_of(text))),
    "feelings": Reader(lexicon.feeling_of, [lexicon]),
    "mood": Reader(lambda text: (words_of(text), traits_of(text))),
    "whatsapp markup": Reader(lambda text: render(text, "waha")),
    "telegram markup": Reader(lambda text: render(text, "telegram")),
    "export": Reader(lambda text: lines.read(f"{lines.OWN_MARK}{text}", True), [wording]),
    "export titles": Reader(wording.title_in, [wording]),
    "export heads": Reader(dates.recognise, [dates]),
    "import": Reader(lambda text: topics._PLACEHOLDER.sub(" ", text)),
    "naming": Reader(naming),
    "summaries": Reader(_summary, [summary_cues, marks, clauses]),
    "offline": Reader(lambda text: (content_stems(text), sentences(text), statements(text))),
    "kinds": Reader(lambda text: (kinds.kind_of(text), kinds.names_in(text)), [kinds]),
}


def near_matches(modules: Sequence[ModuleType]) -> Iterator[str]:
    """Yield pairs of words that stand side by side in a rule: the beginning of many a match."""
    for module in modules:
        held = list(vars(module).values())
        held += [value for each in held if isinstance(each, dict) for value in each.values()]
        for rule in held:
            if isinstance(rule, re.Pattern) and isinstance(rule.pattern, str):
                spoken = re.findall(r"[^\W\d_]{2,}", re.sub(r"\\.", " ", rule.pattern))
                yield from (f"{one} {other} " for one, other in pairwise(spoken))


def filled(start: str, unit: str, end: str, size: int) -> str:
    """Repeat a unit up to a size; another end keeps rules for the end of a text searching."""
    return start + (unit * (size // len(unit) + 1))[: size - len(start) - len(end)] + end


def seconds(read: Callable[[str], object], text: str) -> float:
    """Return the processor time that a reading takes in this thread, without the collector's.

    Threads that earlier tests left count in the timer and not in a reading, and a collection of
    what they left may take longer than any reading.
    """
    started = time.thread_time()

    def late(*_: object) -> None:
        if time.thread_time() - started > LIMIT_S:
            pytest.fail(f"more than {LIMIT_S} s for {len(text)} times {text[:24]!r}")

    before = signal.signal(signal.SIGVTALRM, late)
    gc.disable()
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT_S, LIMIT_S / 4)
    try:
        read(text)
        return time.thread_time() - started
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        gc.enable()


@pytest.mark.parametrize("name", READERS)
def test_the_largest_text_is_read_in_bounded_time(name: str) -> None:
    read, rules = READERS[name]
    texts = [("", unit, "") for unit in UNITS] + [("Do not ", unit, "x") for unit in UNITS]
    texts += [("", unit, "x") for unit in dict.fromkeys(near_matches(rules))]
    times = {each: seconds(read, filled(*each, SMALL)) for each in texts}
    for each in sorted(times, key=lambda each: times[each], reverse=True)[:SLOWEST]:
        seconds(read, filled(*each, LARGEST))
