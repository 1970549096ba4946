"""GoEmotions: comments with one or more of 27 emotions, or neutral.

Source: https://github.com/google-research/google-research/tree/master/goemotions (data/*.tsv:
text, label numbers, id).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from evals.converters.reading import Left, Row, Unfit, Upstream, read_text

# Source: data/emotions.txt; a label's number is its place.
EMOTIONS = (
    "admiration amusement anger annoyance approval caring confusion curiosity desire"
    " disappointment disapproval disgust embarrassment excitement fear gratitude grief joy love"
    " nervousness optimism pride realization relief remorse sadness surprise neutral"
).split()
MOODS = {
    "anger": "frustrated",
    "annoyance": "frustrated",
    "disappointment": "frustrated",
    "sadness": "sad",
    "grief": "sad",
    "fear": "anxious",
    "nervousness": "anxious",
    "excitement": "excited",
    "joy": "excited",
    "confusion": "confused",
    "neutral": "neutral",
}
"""The emotions that are a mood of ours. All others are none: disgust and disapproval are an
opinion of something, love and gratitude are kindness to somebody, surprise can be good or bad."""
AMBIGUOUS = "comments whose emotions are no mood, or more than one"


def convert(source: Path, left: Left) -> Iterator[Row]:
    """Yield a line for each comment all of whose emotions are one and the same mood."""
    for number, line in enumerate(read_text(source).split("\n"), start=1):
        if not line.strip():
            continue
        columns = line.rstrip("\r").split("\t")
        if len(columns) != 3:
            raise Unfit(f"line {number}: {len(columns)} columns, not text, labels and id")
        text, labels, name = columns
        moods = {MOODS.get(emotion) for emotion in _emotions(labels, number)}
        mood = moods.pop() if len(moods) == 1 else None
        if mood is None:
            left[AMBIGUOUS] += 1
        else:
            yield {"id": name.strip(), "text": text, "label": mood}


def _emotions(labels: str, line: int) -> list[str]:
    try:
        return [EMOTIONS[int(one)] for one in labels.split(",")]
    except (ValueError, IndexError):
        raise Unfit(f"line {line}: labels are {labels!r}, not numbers of 0 to 27") from None


GOEMOTIONS = Upstream(
    name="goemotions",
    title="GoEmotions",
    suite="mood",
    measures="the mood of one message: frustrated, sad, anxious, excited, confused, neutral",
    where="https://github.com/google-research/google-research/tree/master/goemotions"
    " (data/train.tsv, dev.tsv, test.tsv)",
    licence="CC BY 4.0 (data), Apache-2.0 (code)",
    source="train.tsv, dev.tsv or test.tsv",
    convert=convert,
)
