"""A summary out of a stretch's own words. Pure and deterministic."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from memory.domain.episodes import Point, Spoken, Summary
from memory.episodes.features import Vector
from memory.episodes.summaries.clauses import clauses_of, word_count
from memory.episodes.summaries.scoring import Weighed, Weights, weigh
from memory.episodes.summaries.selecting import choose, gains_of
from memory.episodes.summaries.structure import artifacts_of, kind_of, people_of
from memory.episodes.summaries.topics import topic_of
from memory.episodes.summaries.weights import WEIGHTS
from memory.episodes.summaries.wording import Told, language_of, paragraph, sentence, tell

MADE_BY: Final = "extract/2"
MAX_WORDS: Final = 120
"""Of a summary's text; however long the stretch is."""


_SLACK: Final = 24
"""Words that a run of one speaker's clauses saves, since it names them once."""


def summarize(
    said: Sequence[Spoken],
    vectors: Sequence[Vector] | None = None,
    facts: Sequence[Point] = (),
    weights: Weights = WEIGHTS,
) -> Summary:
    """Return what a stretch comes down to: at most `MAX_WORDS` words, in at most two paragraphs.

    Args:
        said: the stretch's messages, in the order of time.
        vectors: one of each message, for telling what was said twice in other words.
        facts: what was read of the people, with the messages that say it: such messages weigh more,
            and the facts are among the summary's.
        weights: how much each piece of evidence speaks for a clause.
    """
    read = {uid for fact in facts for uid in fact.uids}
    weighed = weigh(said, clauses_of(said), read)
    language = language_of(said)
    gains = gains_of(weighed, weights)
    told, chosen = _within(said, weighed, gains, vectors, language)
    points = _points(said, [weighed[at] for at in chosen], told, language)
    return Summary(
        text=_paragraphs(told, language),
        topic=topic_of(said, language),
        people=people_of(said),
        facts=_united(facts, points["fact"]),
        decisions=tuple(points["decision"]),
        todos=tuple(points["todo"]),
        questions=tuple(points["question"]),
        artifacts=artifacts_of(said),
        made_by=MADE_BY,
    )


def _within(
    said: Sequence[Spoken],
    weighed: Sequence[Weighed],
    gains: Sequence[float],
    vectors: Sequence[Vector] | None,
    language: str,
) -> tuple[list[Told], list[int]]:
    """Return what is told, and which clauses it is: as many as the words allow."""
    budget = MAX_WORDS + _SLACK
    known: dict[int, Told] = {}
    while True:
        chosen = choose(weighed, gains, budget, vectors)
        for at in chosen:
            if at not in known:
                clause = weighed[at].clause
                known[at] = tell(clause, said[clause.message], language)
        told = [known[at] for at in chosen]
        over = word_count(paragraph(told, language)) - MAX_WORDS
        # Dates and names come on top of what clauses have: what is over is taken off the budget.
        if over <= 0 or not chosen:
            return told, chosen
        budget -= over


def _paragraphs(told: Sequence[Told], language: str) -> str:
    """Return one paragraph, or two where there is much: parted where a message ends."""
    if len(told) < 6:
        return paragraph(told, language)
    middle = len(told) // 2
    while middle < len(told) and told[middle].clause.message == told[middle - 1].clause.message:
        middle += 1
    halves = (told[:middle], told[middle:])
    return "\n\n".join(paragraph(half, language) for half in halves if half)


def _points(
    said: Sequence[Spoken], weighed: Sequence[Weighed], told: Sequence[Told], language: str
) -> defaultdict[str, list[Point]]:
    points: defaultdict[str, list[Point]] = defaultdict(list)
    for each, as_told in zip(weighed, told, strict=True):
        message = said[each.clause.message]
        point = Point(sentence(as_told, language), (message.uid,))
        points[kind_of(each, message)].append(point)
    return points


def _united(facts: Sequence[Point], points: Sequence[Point]) -> tuple[Point, ...]:
    """Return the facts that were read, and the points of messages of which none was."""
    read = {uid for fact in facts for uid in fact.uids}
    return (*facts, *(point for point in points if read.isdisjoint(point.uids)))
