"""From blocks to the texts that are sent, each within the channel's limit. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from channels.markup.blocks import Block
from channels.markup.borders import line_cut, text_cut
from channels.markup.parse import Features

UNNUMBERED_PARTS = 2
"""More texts than these are numbered. Source: the project's channel specification."""
_MIN_FILL = 4
"""A block that no text can hold begins in the current one if 1/4 of that is free. By choice."""


class Markup(Protocol):
    """How a channel writes blocks."""

    @property
    def limit(self) -> int:
        """UTF-16 code units of a text."""

    @property
    def features(self) -> Features:
        """What the channel can show."""

    def size(self, block: Block) -> int:
        """Return the code units of a block: never fewer than its text has characters."""

    def write(self, blocks: Sequence[Block]) -> str:
        """Return the text of the blocks; the gap before the first is left out."""


def split(blocks: Sequence[Block], markup: Markup) -> tuple[str, ...]:
    """Return the texts, in order; more than two are numbered `(1/3) ` at the start.

    Blocks stay whole where they fit into one text, code blocks above all. A longer one is cut
    between sentences or words, code between lines. The number stands on a line of its own before
    what must begin a line: a list item, a quote or code.
    """
    parts = list(_parts(blocks, markup, markup.limit))
    if len(parts) <= UNNUMBERED_PARTS:
        return tuple(markup.write(part) for part in parts)
    reserved = 0
    while reserved < (needed := len(_number(len(parts), len(parts)))):
        reserved = needed
        parts = list(_parts(blocks, markup, markup.limit - reserved))
    return tuple(
        _numbered(part, _number(at, len(parts)), markup) for at, part in enumerate(parts, start=1)
    )


def _number(at: int, count: int) -> str:
    return f"({at}/{count}) "


def _numbered(part: Sequence[Block], number: str, markup: Markup) -> str:
    first = part[0]
    if first.lead or first.is_quote or first.is_code:
        number = number.rstrip() + "\n"
    return number + markup.write(part)


def _parts(blocks: Sequence[Block], markup: Markup, limit: int) -> Iterator[list[Block]]:
    part: list[Block] = []
    used = 0
    for block in blocks:
        rest: Block | None = block
        while rest is not None:
            gap = rest.gap if part else 0
            room = limit - used - gap
            if _fits(rest, markup, room):
                part.append(rest)
                used += gap + markup.size(rest)
                break
            if part and (room < limit // _MIN_FILL or _fits(rest, markup, limit)):
                yield part
                part, used = [], 0
                continue
            head, rest = _cut(rest, markup, room)
            part.append(head)
            yield part
            part, used = [], 0
    if part:
        yield part


def _fits(block: Block, markup: Markup, room: int) -> bool:
    length = sum(len(span.text) for span in block.spans)
    return length <= room and markup.size(block) <= room


def _cut(block: Block, markup: Markup, room: int) -> tuple[Block, Block | None]:
    """Cut a block that is too long: what fits into the room, and the rest if any."""
    text = block.text
    end = min(room, len(text))
    cut = line_cut if block.is_code else text_cut
    while True:
        at = cut(text, end) if end < len(text) else end
        head = block.head(at)
        size = markup.size(head)
        if size <= room or at <= 1:
            break
        end = max(1, min(at - 1, at * room // size))
    if block.is_code:
        start = at + 1 if text[at : at + 1] == "\n" else at
    else:
        start = len(text) - len(text[at:].lstrip())
        head = block.head(len(text[:at].rstrip()))
    return head, block.tail(start) if text[start:].strip() else None
