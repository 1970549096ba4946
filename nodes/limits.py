"""Bounds and defaults of a run's options. Light to import: settings are read before all else."""

from __future__ import annotations

from typing import Literal

DEFAULT_PERSONA = "You are Recollect, a warm and concise assistant who remembers people."

MIN_WINDOW, MAX_WINDOW = 10, 50  # messages
MAX_WINDOW_H = 8_760  # hours: a year
MAX_RECALL = 50  # messages
MIN_MEMORY, MAX_MEMORY = 200, 100_000  # estimated tokens

Tone = Literal["on", "off"]
