"""Finds a question that is worth asking about a chat: somebody, and what they spoke of. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from memory.domain.chats import Actor, Message
from memory.text.words import content_stems

MIN_LETTERS = 4

_WORD = re.compile(r"[^\W\d_]+|[.!?\n]")
_PLACEHOLDER = re.compile(r"\[[^\[\]]*\].*|https?://\S+")


def example_question(messages: Sequence[Message], own_contact: str) -> str:
    """Return a question about what another person said, with a word of theirs; empty if none fits.

    Names of things are preferred: words with a capital within a sentence.
    """
    others = [
        m
        for m in messages
        if m.actor is Actor.CONTACT and m.contact_id != own_contact and m.sender_name and m.text
    ]
    people = content_stems(" ".join({m.sender_name for m in messages}))
    named: Counter[tuple[str, str]] = Counter()
    plain: Counter[tuple[str, str]] = Counter()
    for message in others:
        words = _WORD.findall(_PLACEHOLDER.sub(" ", message.text))
        for before, word in pairwise([".", *words]):
            if len(word) < MIN_LETTERS or not content_stems(word) or content_stems(word) <= people:
                continue
            is_name = word[0].isupper() and word[1:].islower() and before not in ".!?\n"
            (named if is_name else plain)[(message.sender_name, word)] += 1
    best = (named or plain).most_common(1)
    if not best:
        return ""
    (who, what), _ = best[0]
    return f"What did {who} say about {what if named else what.lower()}?"
