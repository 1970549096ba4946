"""What a person writes in a long chat, and when: a story of a hundred turns, then made-up ones."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

STORY: Final = Path(__file__).with_name("hundred_turns.txt")
QUESTION: Final = "What is my cat's name?"
ASKED_EVERY: Final = 50
EXPECTED: Final = {
    "nora lindqvist": True,
    "braga": True,
    "porto": False,
    "ponte": True,
    "lume": False,
    "shellfish": True,
    "figo": True,
    "tomas": True,
    "trains": True,
    "12 may": True,
    "vegetarian": True,
    "ivo": True,
    "portuguese": True,
}
"""Values that some active fact names at the end, or that none may."""
NOT_READ: Final = ("teresa", "norway", "half marathon")
"""A boss's name, a plan and an aim: told, and read as no fact yet."""
_SITTING: Final = 24
_THEMES: Final = {
    "garden": "tomatoes beans roses hedge compost rake seeds lawn snails greenhouse".split(),
    "car": "brakes tyres engine garage clutch headlight mechanic petrol bumper gearbox".split(),
    "music": "guitar choir rehearsal chords drums concert violin melody singer stage".split(),
    "kitchen": "soup bread oven dough garlic pan recipe butter cake lentils".split(),
    "school": "teacher homework exam lesson pupils chalk timetable marks essay maths".split(),
    "house": "paint ladder plaster tiles drill shelf ceiling wallpaper screws radiator".split(),
    "sea": "boat harbour sail anchor waves lighthouse rope captain tide gulls".split(),
    "film": "cinema actor scene director camera script ticket trailer sequel popcorn".split(),
}
_FORMS: Final = (
    "the {a} and the {b} took the whole morning",
    "I asked about the {a}, but only got an answer on the {b}",
    "somebody had left the {a} next to the {b} again",
    "without the {a} the {b} is not worth much",
    "we talked about the {a} for an hour",
    "the {b} looks better than the {a} did last year",
    "first the {a}, then the {b}, that is the order",
    "have you ever seen such a {a} with that {b}?",
)


@dataclass(frozen=True, slots=True)
class Turn:
    """What is written and when; `begins`: an episode does, by `silence` or by what is said."""

    text: str
    at: datetime
    begins: str = ""


def story() -> Iterator[tuple[str, timedelta, str]]:
    """Yield the hundred turns: text, the time since the one before, and what begins there."""
    wait, begins = timedelta(), ""
    for line in STORY.read_text(encoding="utf-8").splitlines():
        if line.startswith("==="):
            wait, begins = timedelta(hours=float(line.removeprefix("==="))), "silence"
        elif line == "---":
            wait, begins = timedelta(minutes=4), "words"
        elif not line.startswith("#"):
            yield line, wait, begins
            wait, begins = timedelta(minutes=2), ""


def filler(draw: random.Random) -> Iterator[tuple[str, timedelta, str]]:
    """Yield turns in sittings of two matters, and every so often the question."""
    number = 0
    while True:
        for part, theme in enumerate(draw.sample(sorted(_THEMES), 2)):
            for place in range(_SITTING // 2):
                number += 1
                a, b = draw.sample(_THEMES[theme], 2)
                text = f"{draw.choice(_FORMS).format(a=a, b=b)}, and the {theme} is number {number}"
                text = QUESTION if number % ASKED_EVERY == 0 else text
                is_first = place == 0
                wait = timedelta(hours=11) if is_first and not part else timedelta(minutes=2)
                yield text, wait, ("topic" if part else "silence") if is_first else ""


def planned(turns: int, now: datetime) -> list[Turn]:
    """Return so many turns, the last of them a minute ago."""
    told = list(story())
    more = filler(random.Random(5))
    told += [next(more) for _ in range(turns - len(told))]
    told = told[:turns]
    at = now - timedelta(minutes=1) - sum((wait for _, wait, _ in told), timedelta())
    planned = []
    for text, wait, begins in told:
        at += wait
        planned.append(Turn(text, at, begins))
    return planned
