"""What is still owed or to come between people: promises, requests, questions, dates (T1)."""

from __future__ import annotations

from memory.open_loops.evidence import Before, Heard, hear, texts_of
from memory.open_loops.loops import AGENT, KINDS, LoopKind, OpenLoop, Said
from memory.open_loops.model import Model, load_model
from memory.open_loops.tracking import Tracker, advance, still_open

__all__ = [
    "AGENT",
    "KINDS",
    "Before",
    "Heard",
    "LoopKind",
    "Model",
    "OpenLoop",
    "Said",
    "Tracker",
    "advance",
    "hear",
    "load_model",
    "still_open",
    "texts_of",
]
