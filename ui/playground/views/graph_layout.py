"""Where names stand in a picture of somebody's people and things. Pure, and always the same.

Each name is a box of its own. They stand around a middle, those of a kind side by side, each on the
innermost ring where it overlaps nothing that stands already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Final
from unicodedata import east_asian_width

MOST_NODES: Final = 60
LABEL_CHARS: Final = 22

# Sizes in SVG units, which are CSS pixels at full size.
_HEIGHT: Final = 40.0
_GAP: Final = 8.0
_PADDING: Final = 26.0
_FIRST_RING: Final = (165.0, 92.0)
_NEXT_RING: Final = (92.0, 54.0)
_STEPS: Final = 9
_STEP: Final = pi / 36
"""A name may stand up to 45 degrees from where its turn is."""
_NARROW: Final = frozenset("iljtfrI.,:;'|!()[] ")
_WIDE: Final = frozenset("mwMWQOGDCHNU@%&")


@dataclass(frozen=True, slots=True)
class Node:
    """A box to be placed; `beneath` is a second, smaller line."""

    key: str
    kind: str
    label: str
    beneath: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    """Where a box is, by its middle."""

    x: float
    y: float
    width: float
    height: float = _HEIGHT

    def overlaps(self, other: Box, gap: float = 0.0) -> bool:
        """Tell whether two boxes are nearer to each other than `gap`."""
        return (
            abs(self.x - other.x) * 2 < self.width + other.width + 2 * gap
            and abs(self.y - other.y) * 2 < self.height + other.height + 2 * gap
        )


def shortened(text: str) -> str:
    """Return a label as it is shown."""
    line = " ".join(text.split())
    return line if len(line) <= LABEL_CHARS else line[: LABEL_CHARS - 1] + "…"


def folded(nodes: Sequence[Node], most: int = MOST_NODES) -> tuple[list[Node], Counter[str]]:
    """Return the first nodes, at most `most`, and how many of each kind are left out.

    What is left out of a kind takes a place, too.
    """
    if len(nodes) <= most:
        return list(nodes), Counter()
    kept = most
    while True:
        left = Counter(node.kind for node in nodes[kept:])
        if kept + len(left) <= most:
            return list(nodes[:kept]), left
        kept -= 1


def placed(middle: Node, nodes: Sequence[Node]) -> dict[str, Box]:
    """Return where each node stands, by key, around the one in the middle at 0, 0."""
    standing = [_box(middle, 0.0, 0.0)]
    boxes = {middle.key: standing[0]}
    kinds = list(dict.fromkeys(node.kind for node in nodes))
    ordered = sorted(nodes, key=lambda node: kinds.index(node.kind))
    for number, node in enumerate(ordered):
        turn = 2 * pi * (number + 0.5) / len(ordered) - pi / 2
        box = _free(node, turn, standing)
        standing.append(box)
        boxes[node.key] = box
    return boxes


def _free(node: Node, turn: float, standing: Sequence[Box]) -> Box:
    boxes = (_box(node, x, y) for x, y in _candidates(turn))
    return next(box for box in boxes if not any(box.overlaps(other, _GAP) for other in standing))


def _candidates(turn: float) -> Iterator[tuple[float, float]]:
    ring = 0
    while True:
        width, height = (
            first + ring * more for first, more in zip(_FIRST_RING, _NEXT_RING, strict=True)
        )
        for step in range(_STEPS + 1):
            for angle in (turn + step * _STEP, turn - step * _STEP):
                yield width * cos(angle), height * sin(angle)
        ring += 1


def _box(node: Node, x: float, y: float) -> Box:
    width = max(_width(node.label, 13.0), _width(node.beneath, 10.5))
    return Box(round(x, 1), round(y, 1), round(width + _PADDING, 1))


def _width(text: str, size: float) -> float:
    """Return about how wide a text is, rather more than less."""
    return sum(map(_share, text)) * size


def _share(character: str) -> float:
    if east_asian_width(character) in "WF":
        return 1.3
    if character in _NARROW:
        return 0.42
    return 0.95 if character in _WIDE else 0.8 if character.isupper() else 0.63
