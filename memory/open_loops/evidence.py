"""What speaks for a sentence leaving something open, and for a message closing it. Pure."""

# ruff: noqa: E501 - patterns and tables

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from memory.open_loops.cues import NAMES, cues, plain, words_of
from memory.open_loops.due import due_day, timing
from memory.open_loops.loops import AGENT, OpenLoop, Said, Vector
from memory.open_loops.sentences import sentences

_AT: Final = {name: place for place, name in enumerate(NAMES)}
_PREFIX: Final = 5
_LEAST_LETTERS: Final = 4
_CARRIED: Final = (
    "done",
    "off",
    "moved",
    "yes",
    "not",
    "thanks",
    "past",
    "mark",
    "hedge",
    "i_will",
)
CONTEXT: Final = (
    "agent", "with_agent", "group", "first_sentence", "alone", "after_question", "after_request",
    "yes_after_request", "yes_after_question", "named", "after_gap", "addresses_agent",
)  # fmt: skip
CLOSING: Final = (
    "same_speaker", "is_by", "agent", "next", "second", "later", "log_count", "first_reply",
    "log_hours", "day_later", "week_later", "past_due", "due_day", "has_due", "cosine", "cosine_high",
    "shared", "shared_two", "only_mark", "short", "time_ahead", *(f"has_{name}" for name in _CARRIED),
    "by_done", "by_off", "near_done", "near_off", "near_moved", "yes_next", "not_next", "reply_next",
    "by_next", "group_reply", "near_reply", "addressee_no_mark", "agent_asked",
)  # fmt: skip


class Sentence(NamedTuple):
    """A sentence of a message, its cues by `NAMES`, and its vector."""

    text: str
    cues: list[float]
    vector: Vector

    def has(self, name: str) -> bool:
        """Whether it has a cue."""
        return self.cues[_AT[name]] > 0


@dataclass(frozen=True, slots=True)
class Before:
    """What of a chat's earlier messages bears on the next one."""

    count: int = 0
    speakers: tuple[str, ...] = ()
    last_speaker: str = ""
    asked: bool = False
    wanted: bool = False
    last_at: float = 0.0

    @property
    def is_group(self) -> bool:
        """Whether more than two talk."""
        return len(self.speakers) > 2


@dataclass(frozen=True, slots=True)
class Heard:
    """A message read by sentences, in its chat."""

    said: Said
    before: Before
    sentences: tuple[Sentence, ...]
    words: frozenset[str] = field(default=frozenset())

    @property
    def after(self) -> Before:
        """What bears on the next message."""
        speaker = self.said.speaker
        known = self.before.speakers
        asks = [one for one in self.sentences if one.has("mark") and not one.has("how_are")]
        wants = [
            one
            for one in self.sentences
            if one.has("asks") or one.has("remember") or one.has("command") or one.has("please")
        ]
        return Before(
            count=self.before.count + 1,
            speakers=known if speaker in known else (*known, speaker)[-12:],
            last_speaker=speaker,
            asked=bool(asks),
            wanted=bool(wants),
            last_at=self.said.at.timestamp(),
        )


def texts_of(said: Said) -> list[str]:
    """Return the sentences of a message, whose vectors `hear` wants."""
    return sentences(said.text)


def hear(said: Said, vectors: Sequence[Vector], before: Before) -> Heard:
    """Read a message; `vectors` are those of `texts_of`, in order."""
    read = tuple(
        Sentence(text, cues(text, timing(text, said.at)), np.asarray(vector, np.float32))
        for text, vector in zip(texts_of(said), vectors, strict=True)
    )
    return Heard(said, before, read, _content(said.text))


def opening_evidence(heard: Heard) -> Vector:
    """Return a row for each sentence: vector, cues, context."""
    rows = [
        np.concatenate([one.vector, np.array([*one.cues, *_context(heard, place)], np.float32)])
        for place, one in enumerate(heard.sentences)
    ]
    return np.stack(rows) if rows else np.zeros((0, 0), np.float32)


def _context(heard: Heard, place: int) -> list[float]:
    before, one, said = heard.before, heard.sentences[place], heard.said
    is_other = before.last_speaker not in ("", said.speaker)
    agrees = one.has("starts_yes") or one.has("let_me")
    others = [name for name in before.speakers if name != said.speaker]
    return [
        float(said.is_agent),
        float(AGENT in before.speakers),
        float(before.is_group),
        float(place == 0),
        float(len(heard.sentences) == 1),
        float(is_other and before.asked),
        float(is_other and before.wanted),
        float(is_other and before.wanted and agrees),
        float(is_other and before.asked and agrees),
        float(any(_names(one.text, name) for name in others)),
        float(before.count > 0 and said.at.timestamp() - before.last_at > 6 * 3600),
        float(AGENT in others and len(others) == 1),
    ]


def by_of(heard: Heard, sentence: str, is_speaker: bool) -> str:
    """Return who has to act: the speaker, or whoever is addressed."""
    said, before = heard.said, heard.before
    if is_speaker:
        return said.speaker
    others = [name for name in before.speakers if name != said.speaker]
    for text in (sentence, said.text):
        named = [name for name in others if _names(text, name)]
        if named:
            return named[0]
    if before.last_speaker in others:
        return before.last_speaker
    return others[-1] if others else ""


def _names(text: str, name: str) -> bool:
    return (
        bool(re.search(rf"(?<!\w){re.escape(plain(name).split()[0])}(?!\w)", plain(text)))
        if name.split()
        else False
    )


def closing_evidence(loop: OpenLoop, heard: Heard, group: bool) -> list[float]:
    """Return what speaks for a message closing a loop, by `CLOSING`."""
    said = heard.said
    since = heard.before.count - loop.number
    hours = max(0.0, (said.at - loop.at).total_seconds() / 3600)
    has = {name: float(any(one.has(name) for one in heard.sentences)) for name in _CARRIED}
    cosine = max((float(one.vector @ loop.vector) for one in heard.sentences), default=0.0)
    shared = len(heard.words & _content(loop.text))
    near = float(min(1.0, max(0.0, cosine - 0.2) * 1.6 + 0.35 * min(shared, 2)))
    same, is_by = float(said.speaker == loop.speaker), float(said.speaker == loop.by)
    is_next = float(since == 1)
    all_ask = float(all(one.has("mark") for one in heard.sentences) and bool(heard.sentences))
    reply = 1.0 - same
    past = float(loop.due is not None and said.at.date() > loop.due)
    return [
        same, is_by, float(said.is_agent), is_next, float(since == 2), float(since > 2), math.log1p(since),
        float(reply and loop.replies == 0), math.log1p(hours) / 5, float(hours > 20), float(hours > 160),
        past, float(loop.due is not None and said.at.date() == loop.due), float(loop.due is not None),
        cosine, max(0.0, cosine - 0.4), min(shared, 3) / 3, float(shared > 1), all_ask,
        float(len(said.text.split()) < 4), float(any(one.has("when") for one in heard.sentences)),
        *has.values(),
        is_by * has["done"], is_by * has["off"], near * has["done"], near * has["off"], near * has["moved"],
        is_next * reply * has["yes"], is_next * reply * has["not"], is_next * reply, is_by * is_next,
        float(group) * reply, near * reply, is_by * (1 - all_ask), float(said.is_agent and same == 0.0),
    ]  # fmt: skip


def _content(text: str) -> frozenset[str]:
    """Return the words of a text that say what it is about, by their beginnings."""
    return frozenset(word[:_PREFIX] for word in words_of(text) if len(word) >= _LEAST_LETTERS)


__all__ = ["due_day"]
