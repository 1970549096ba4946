"""How much each piece of evidence speaks for keeping a clause."""

from __future__ import annotations

from typing import Final

from memory.episodes.summaries.scoring import Evidence

WEIGHTS: Final = Evidence(
    numbers=0.25,
    money=0.3,
    times=0.25,
    numerals=0.1,
    names=0.2,
    decides=0.15,
    promises=0.1,
    corrects=0.1,
    hedges=-0.05,
    chats=-0.3,
    own=0.1,
    you=-0.1,
    asks=-0.3,
    is_open=0.5,
    answers=0.1,
    proposal=0.1,
    agent=-0.4,
    long_message=0.0,
    agent_long=-0.1,
    central=0.3,
    rare=0.0,
    stems=0.2,
    words=0.0,
    short=-0.2,
    first=0.05,
    last=0.0,
    late=0.1,
    place=-0.03,
    opening=0.0,
    link=0.1,
    read=0.3,
    bias=0.05,
)
