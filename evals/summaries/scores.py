"""Scores of the `summaries` suite: what of an episode's items stands in its summary. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from evals.suite.metrics import mean
from evals.suite.run import Figures, Item, SystemResult
from evals.summaries.cases import Held, SummaryCase
from memory.episodes.features import words_of
from memory.episodes.summaries.clauses import sentences_of, word_count
from memory.episodes.summaries.days import MONTHS

KINDS: Final = ("fact", "decision", "todo", "question")
_ITSELF: Final = frozenset(
    word[:5]
    for word in """they their them theirs themself is are was were has does will wrote says said
    """.split()
)
_MONTHS: Final = frozenset(
    month.casefold()[:5] for months in MONTHS.values() for month in months.split()
)


@dataclass(frozen=True, slots=True)
class Summarized:
    """An episode and the summary that was made of it."""

    case: SummaryCase
    text: str


def holds(text: str, item: Held) -> bool:
    """Tell whether a text has of every list a form, as a word or the beginning of one."""
    plain = text.casefold()
    return all(any(stands(form, plain) for form in forms) for forms in item.holds)


def grounded(case: SummaryCase, text: str) -> list[bool]:
    """Return for each sentence of a summary whether a single message has its content words.

    The speakers' names, months and numbers of days aside.
    """
    names = {stem for turn in case.turns for stem in words_of(turn.speaker)}
    sources = [words_of(turn.text) | names | _MONTHS | _ITSELF for turn in case.turns]
    digits = re.compile(r"\(\d{1,2}\.? ")
    found = []
    for sentence in sentences_of(digits.sub("(", text)):
        stems = words_of(sentence)
        found.append(any(all(_among(stem, source) for stem in stems) for source in sources))
    return found


def score(summarized: Sequence[Summarized]) -> SystemResult:
    """Return the suite's figures over all episodes, by language and by style."""
    by: dict[str, dict[str, Figures]] = {}
    groups: dict[str, Callable[[SummaryCase], str]] = {
        "lang": lambda case: case.lang,
        "style": lambda case: case.style,
    }
    for name, of in groups.items():
        parted: defaultdict[str, list[Summarized]] = defaultdict(list)
        for one in summarized:
            parted[of(one.case)].append(one)
        by[name] = {value: figures(some) for value, some in sorted(parted.items())}
    return SystemResult(figures(summarized), by, [_item(one) for one in summarized])


def figures(summarized: Sequence[Summarized]) -> Figures:
    """Return the metrics over some episodes; shares of items are weighted, and pooled."""
    found: Figures = {"episodes": float(len(summarized)), "held": _share(summarized, KINDS)}
    for kind in KINDS:
        found[f"held_{kind}s"] = _share(summarized, (kind,))
    told = [each for one in summarized for each in grounded(one.case, one.text)]
    found["grounded"] = mean([float(each) for each in told])
    found["words"] = mean([float(word_count(one.text)) for one in summarized])
    return found


def _share(summarized: Sequence[Summarized], kinds: Sequence[str]) -> float | None:
    held = whole = 0
    for one in summarized:
        for item in one.case.items:
            if item.kind in kinds:
                whole += item.weight
                held += item.weight * holds(one.text, item)
    return held / whole if whole else None


def stands(form: str, plain: str) -> bool:
    """Tell whether a form is a word of a casefolded text, or the beginning of one."""
    return re.search(rf"(?<!\w){re.escape(form.casefold())}", plain) is not None


def _among(stem: str, source: frozenset[str]) -> bool:
    """Tell whether a source has a stem, or the verb that it is the third person of."""
    third = {stem.removesuffix("s"), stem.removesuffix("es"), f"{stem.removesuffix('ies')}y"}
    return stem in source or not source.isdisjoint(third)


def _item(one: Summarized) -> Item:
    own = figures([one])
    return Item(
        case=one.case.episode_id,
        item="episode",
        groups={"lang": one.case.lang, "style": one.case.style},
        scores={name: own[name] for name in ("held", "grounded", "words")},
        evidence=tuple(
            f"{item.kind}:{item.turns[0]}" for item in one.case.items if not holds(one.text, item)
        ),
    )
