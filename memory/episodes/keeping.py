"""A tracker as bytes: what goes on from them decides as what was never put away. Pure."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from datetime import datetime
from typing import Final

import numpy as np

from memory.episodes.cues import Cues
from memory.episodes.features import Seen
from memory.episodes.segmenting import Tracker

_NUMBERS: Final = ("count", "start", "decided", "turns", "gaps", "near_sum", "near_squares")


def packed(tracker: Tracker) -> bytes:
    """Return a tracker as bytes: a line of JSON, then its vectors, half and single precision."""
    recent = [[sorted(seen.words), seen.length, *map(int, seen.cues)] for seen in tracker.recent]
    about = {
        **{name: getattr(tracker, name) for name in _NUMBERS},
        "last_at": tracker.last_at.isoformat() if tracker.last_at else None,
        "last_score": tracker.last_score if math.isfinite(tracker.last_score) else None,
        "recent": recent,
        "speakers": [seen.speaker for seen in tracker.recent],
        "waited": [seen.waited for seen in tracker.recent],
        "width": len(tracker.total) if tracker.total is not None else 0,
    }
    vectors = b"".join(seen.vector.astype(np.float16).tobytes() for seen in tracker.recent)
    total = tracker.total.tobytes() if tracker.total is not None else b""
    return json.dumps(about, separators=(",", ":")).encode() + b"\n" + vectors + total


def unpacked(data: bytes) -> Tracker:
    """Return the tracker of `packed`; a fresh one of no bytes."""
    if not data:
        return Tracker()
    head, _, rest = data.partition(b"\n")
    about = json.loads(head)
    width, kept = about["width"], len(about["recent"])
    halves = np.frombuffer(rest, np.float16, width * kept).reshape(kept, width)
    rows = zip(about["recent"], halves, about["speakers"], about["waited"], strict=True)
    recent = tuple(
        Seen(
            half.astype(np.float32),
            frozenset(words),
            length,
            Cues(*map(bool, cues)),
            speaker,
            waited,
        )
        for (words, length, *cues), half, speaker, waited in rows
    )
    tracker = Tracker(recent=recent, **{name: about[name] for name in _NUMBERS})
    return replace(
        tracker,
        last_at=datetime.fromisoformat(about["last_at"]) if about["last_at"] else None,
        last_score=-math.inf if about["last_score"] is None else about["last_score"],
        total=np.frombuffer(rest, np.float32, width, 2 * width * kept).copy() if width else None,
    )
