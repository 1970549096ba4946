"""Where one topic of a chat ends and the next begins. Pure.

`segment` reads a list of turns, `advance` one turn at a time; the first is the second in a loop.
"""

from memory.episodes.segmenting import (
    EPISODE_GAP_H,
    Tracker,
    Turn,
    advance,
    segment,
    settle,
)

__all__ = ["EPISODE_GAP_H", "Tracker", "Turn", "advance", "segment", "settle"]
