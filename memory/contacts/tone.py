"""How to speak to somebody in a mood and at a stage (C3), and how much memory it takes (C4). Pure.

Source: the tables of mood adaptation and of memory budgets in the requirements (C3, C4).
"""

from __future__ import annotations

from typing import Final

from memory.domain.contacts import MoodName, Stage

LEAST_CONFIDENCE: Final = 0.5
"""A mood sets the tone where it is more likely than all others together."""

ADVICE: Final[dict[MoodName, str]] = {
    "frustrated": (
        "Be patient, acknowledge the difficulty, offer concrete solutions. No cheerful emojis."
    ),
    "sad": "Be empathetic and supportive. Do not be overly cheerful.",
    "anxious": "Be calm and reassuring. Break things into small steps.",
    "excited": "Match their energy. Be enthusiastic.",
    "confused": "Explain clearly, use examples, ask clarifying questions.",
}

OF_STAGE: Final[dict[Stage, str]] = {
    "new": "You have just met: presume nothing.",
    "fading": "They write less than they used to: be glad of them, without a reproach.",
    "dormant": "They were away for long: do not presume that all is as it was.",
}
"""Where a stage calls for anything; whom one knows is spoken to as ever."""

BUDGET: Final[dict[Stage, int]] = {
    "new": 0,
    "building": 500,
    "established": 1_200,
    "deep": 2_000,
    "fading": 800,
    "dormant": 200,
}
"""Memory that goes with a stage, in estimated tokens (`memory.text.chunks.estimate_tokens`)."""

LEAST_UNASKED: Final = 200
"""Memory, in estimated tokens, that a turn's own prompt has of anybody: their name, and whatever of
the first day left the window already."""


def unasked_tokens(stage: Stage) -> int:
    """Return how much memory a turn's prompt has where nothing calls for it, in estimated tokens.

    What a message asks for is no matter of the stage.
    """
    return max(BUDGET[stage], LEAST_UNASKED)


def advice_for(mood: MoodName, confidence: float, stage: Stage) -> str:
    """Return how to speak to somebody, in two short lines at most; empty where nothing is special.

    `confidence` of the mood, 0..1.
    """
    by_mood = ADVICE.get(mood, "") if confidence >= LEAST_CONFIDENCE else ""
    return " ".join(filter(None, (by_mood, OF_STAGE.get(stage, ""))))
