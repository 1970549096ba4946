"""What is open in a chat, message by message: opened, said again, closed, lapsed. Pure.

A loop is opened with the probability that its sentence opens one; each later message takes away
the probability that it closes it. What falls below its kind's threshold is open no longer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Final

import numpy as np

from memory.open_loops.due import due_day
from memory.open_loops.evidence import Before, Heard, by_of, closing_evidence, opening_evidence
from memory.open_loops.loops import AGENT, KINDS, LoopKind, OpenLoop, Said
from memory.open_loops.model import Model

MOST: Final = 40
"""So many are open in a chat at once; beyond, the least sure ones go."""
MOST_CHARS: Final = 300
"""A loop's text, at most."""
REPEATED: Final = 0.8
"""Cosine from which a sentence says an open loop again. Judged on the training chats."""
LAPSES: Final[dict[LoopKind, timedelta]] = {
    "promise": timedelta(days=42),
    "request": timedelta(days=42),
    "question": timedelta(days=14),
    "date": timedelta(days=0),
}
"""How long after its day, or where it has none after it was said, a loop counts as lapsed."""
_UNKNOWN: Final = re.compile(
    r"(?:don'?t|do not|didn'?t) know|not sure|no idea|let me check|i'?ll (?:check|find out|look)"
    r"|wei(?:ß|ss) (?:ich|es)|keine ahnung|nicht sicher|schaue? (?:ich )?nach"
    r"|no (?:lo )?s[eé]|no estoy segur|ni idea|não sei|nao sei|não tenho certeza|vou ver"
    r"|не знаю|не уверен|узнаю|посмотрю",
    re.IGNORECASE,
)
"""An answer that leaves a question open, in five languages."""
_SPEAKERS_OWN: Final = frozenset({"promise", "date"})


@dataclass(frozen=True, slots=True)
class Tracker:
    """What is remembered of a chat between messages."""

    before: Before = field(default_factory=Before)
    loops: tuple[OpenLoop, ...] = ()


def advance(tracker: Tracker, heard: Heard, model: Model) -> Tracker:
    """Take in one message, which must be read with `tracker.before`."""
    opened = _opened(heard, model)
    kept = []
    for loop in tracker.loops:
        if any(_repeats(new, loop) for new in opened):
            kept.append(loop)  # said again, it is as open as before
            continue
        left = _after(loop, heard, model)
        if left.confidence >= model.thresholds[KINDS.index(loop.kind)]:
            kept.append(left)
    kept += [new for new in opened if not any(_repeats(new, loop) for loop in kept)]
    if len(kept) > MOST:
        sure = sorted(kept, key=lambda loop: (loop.confidence, loop.number))[-MOST:]
        kept = [loop for loop in kept if loop in sure]
    return Tracker(heard.after, tuple(kept))


def lapses_on(loop: OpenLoop) -> date:
    """Return the last day on which it counts as open, if nothing is said of it."""
    return (loop.due or loop.at.date()) + LAPSES[loop.kind]


def _after(loop: OpenLoop, heard: Heard, model: Model) -> OpenLoop:
    """Return a loop as a message leaves it."""
    said = heard.said
    if said.at.date() > lapses_on(loop) or _is_answer(said, loop):
        return replace(loop, confidence=0.0)
    closed = model.closes(
        closing_evidence(loop, heard, heard.before.is_group), KINDS.index(loop.kind)
    )
    return replace(
        loop,
        confidence=loop.confidence * (1 - closed),
        replies=loop.replies + (said.speaker != loop.speaker),
    )


def _is_answer(said: Said, loop: OpenLoop) -> bool:
    """Tell whether it is the agent's reply to what it was asked, however little they share.

    What it does not know is as open as the model says.
    """
    is_asked = loop.kind == "question" and loop.by == AGENT and loop.replies == 0
    return is_asked and said.is_agent and _UNKNOWN.search(said.text) is None


def _opened(heard: Heard, model: Model) -> list[OpenLoop]:
    """Return what a message opens, one of each kind at most."""
    if not heard.sentences:
        return []
    sure = model.opens(opening_evidence(heard))
    found: list[OpenLoop] = []
    for place, kind in enumerate(KINDS):
        best = int(np.argmax(sure[:, place]))
        confidence = float(sure[best, place])
        if confidence < model.thresholds[place]:
            continue
        sentence = heard.sentences[best]
        if kind == "question" and (sentence.has("how_are") or sentence.has("tag")):
            continue  # a greeting, or no question
        if kind == "question" and any(
            each.kind == "request" and each.text == sentence.text[:MOST_CHARS] for each in found
        ):
            continue  # "could you ...?" wants something done, not said
        loop = _loop(heard, best, kind, confidence)
        # A date that has no day cannot be shown as one, nor be over.
        if kind != "date" or loop.due is not None:
            found.append(loop)
    return found


def _loop(heard: Heard, place: int, kind: LoopKind, confidence: float) -> OpenLoop:
    said, sentence = heard.said, heard.sentences[place]
    return OpenLoop(
        uid=said.uid,
        kind=kind,
        speaker=said.speaker,
        by=by_of(heard, sentence.text, kind in _SPEAKERS_OWN),
        text=sentence.text[:MOST_CHARS],
        at=said.at,
        due=due_of(said, sentence.text, kind),
        confidence=confidence,
        number=heard.before.count,
        vector=sentence.vector,
        changes=said.changes,
    )


def due_of(said: Said, sentence: str, kind: LoopKind) -> date | None:
    """Return the day that the sentence sets, else the message; a question has none."""
    if kind == "question":
        return None
    return due_day(sentence, said.at) or due_day(said.text, said.at)


def _repeats(new: OpenLoop, loop: OpenLoop) -> bool:
    """Tell whether a loop is an open one said again."""
    same = new.kind == loop.kind and (new.by == loop.by or new.speaker == loop.speaker)
    if not same or (new.due and loop.due and new.due != loop.due):
        return False
    return float(new.vector @ loop.vector) >= REPEATED


def still_open(loops: Sequence[OpenLoop], now: datetime) -> list[OpenLoop]:
    """Return those that have not lapsed, what is overdue first, then by day, then the oldest."""
    today = now.date()
    kept = [loop for loop in loops if lapses_on(loop) >= today]
    return sorted(kept, key=lambda loop: (loop.due is None, loop.due or today, loop.at))
