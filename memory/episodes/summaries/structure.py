"""What a summary holds beside its text: people, points by kind, links and media. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory.domain.episodes import Point, Spoken
from memory.episodes.summaries import marks
from memory.episodes.summaries.scoring import Weighed

MAX_PEOPLE: Final = 12
MAX_ARTIFACTS: Final = 12


def kind_of(weighed: Weighed, message: Spoken) -> str:
    """Return what a clause is: question, decision, todo, fact; empty for what the agent said."""
    if message.is_agent:
        return ""
    if weighed.clause.asks:
        return "question" if weighed.is_open else ""
    if weighed.evidence.wonders:
        return "question"
    if weighed.evidence.decides and not weighed.evidence.hedges:
        return "decision"
    return "todo" if weighed.evidence.promises else "fact"


def people_of(said: Sequence[Spoken]) -> tuple[str, ...]:
    """Return who speaks, the agent left out, in the order of their first words."""
    return tuple(dict.fromkeys(one.speaker for one in said if not one.is_agent))[:MAX_PEOPLE]


def artifacts_of(said: Sequence[Spoken]) -> tuple[Point, ...]:
    """Return links and media, each once, with the messages that hold them."""
    found: dict[str, list[str]] = {}
    for one in said:
        text = one.text[:4_000]
        for artifact in (*marks.LINK.findall(text), *marks.MEDIA.findall(text)):
            uids = found.setdefault(artifact.rstrip(".,;:!?"), [])
            if one.uid not in uids:
                uids.append(one.uid)
    return tuple(Point(text, tuple(uids)) for text, uids in [*found.items()][:MAX_ARTIFACTS])
