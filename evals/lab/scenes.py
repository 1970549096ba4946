"""Scenes that are ready to be played: what goes wrong with bots that know no gate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from evals.lab.cast import Channel, Cue, Place


@dataclass(frozen=True, slots=True)
class Scene:
    """A few cues in a row. `replies`: how many answers the far end gets, by channel."""

    name: str
    title: str
    about: str
    place: Place
    cues: tuple[Cue, ...]
    replies: dict[Channel, int]


SCENES: Final[tuple[Scene, ...]] = (
    Scene(
        "mentioned",
        "The agent is mentioned in a group",
        "People talk; only what is meant for the agent is answered.",
        "group",
        (
            Cue("ana", "Does anybody know when the library opens?"),
            Cue("ben", "do you know?", is_meant=True),
            Cue("ana", "Thank you, Ben!"),
        ),
        {"waha": 1, "telegram": 1},
    ),
    Scene(
        "bots",
        "Two bots meet",
        "Another bot answers our answer, and calls us by name. Nothing more comes of it.",
        "group",
        (
            Cue("ana", "what is six times seven?", is_meant=True),
            Cue("bot", "I am Quizzer. And what is seven times eight?", is_meant=True),
            Cue("bot", "Hello? Are you there?", is_meant=True),
        ),
        {"waha": 1, "telegram": 1},
    ),
    Scene(
        "owner",
        "The owner answers by hand",
        "On WhatsApp the agent keeps out for an hour then; a Telegram bot has no phone.",
        "direct",
        (
            Cue("ana", "Are you open on Sunday?"),
            Cue("owner", "Hi Ana, it is me. I will look it up."),
            Cue("ana", "Great, thank you!"),
            Cue("hour"),
            Cue("ana", "And on Monday?"),
        ),
        {"waha": 2, "telegram": 4},
    ),
    Scene(
        "thrice",
        "One webhook, three times",
        "Gateways deliver again what they think was lost, after a restart, too.",
        "direct",
        (
            Cue("ana", "Can I bring my dog?"),
            Cue("again"),
            Cue("again"),
            Cue("restart"),
        ),
        {"waha": 1, "telegram": 1},
    ),
    Scene(
        "echo",
        "Our own words come back",
        "What we sent is reported to us as if it came in, and what was said is edited.",
        "direct",
        (
            Cue("ana", "Where are you?"),
            Cue("echo"),
            Cue("edit", "Where exactly are you?"),
            Cue("echo"),
        ),
        {"waha": 1, "telegram": 1},
    ),
)


def scene_named(name: str) -> Scene | None:
    """Return the scene of this name; None where there is none."""
    return next((scene for scene in SCENES if scene.name == name), None)
